// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

#include <map>
#include <optional>
#include <set>

namespace graphloom::magis {

/// Positions of each dimension of a tensor.
using Box = std::vector<Parts::Interval>;
Box wholeBox(const Shape &shape);

/// A tensor of the realized graph: the positions of an original tensor that it holds.
struct Held {
    TensorId tensor;
    Box box;
};

/// Adds nodes and tensors to the graph that is being made, in the order of the schedule.
class PartWriter {
public:
    explicit PartWriter(const Graph &original);

    /// What is said of the nodes that are added from now on.
    void describe(std::vector<std::pair<int, int>> parts, int run)
    {
        m_parts = std::move(parts);
        m_run = run;
    }

    /// A tensor for a version of an original one. All of it, the first time, is the original.
    TensorId version(TensorId original, const Box &box, bool again);
    TensorId constant(const Tensor &tensor);
    NodeId add(Node node, NodeId original, Realized::Role role, bool again);
    /// The nodes so far.
    const std::vector<NodeId> &order() const { return m_order; }
    /// A part of a tensor.
    Held slice(const Held &held, TensorId original, const Box &box);
    /// What pieces give that follow each other along a dimension.
    Held join(const std::vector<Held> &pieces, TensorId original, int dim);
    /// A result with a further part of it.
    Held gather(const Held &sum, const Held &part, TensorId original, Combine combine);
    /// The same, where the node that gives the part adds it to the sum by itself; none where it
    /// cannot.
    std::optional<Held> addInKernel(const Held &sum, const Held &part);

    Result<Realized> finish(const std::vector<Held> &outputs);

private:
    std::string uniqueName(const std::string &wanted);
    std::string suffix(bool again) const;
    NodeId producerOf(TensorId original) const;

    const Graph &m_original;
    GraphEditor m_editor;
    Realized m_result;
    std::vector<std::pair<int, int>> m_parts;
    int m_run = -1;
    std::vector<NodeId> m_order;
    std::vector<bool> m_made; // by original tensor: does a node give it?
    std::set<std::string> m_names;
    std::map<std::vector<std::int64_t>, TensorId> m_lists; // constants of Slice nodes
};

} // namespace graphloom::magis
