// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

#include <map>
#include <optional>
#include <set>

namespace graphloom::magis {

/// Holds an interval of positions for each dimension of a tensor.
using Box = std::vector<Parts::Interval>;
Box wholeBox(const Shape &shape);

/// Pairs a tensor of the realized graph with the positions of an original tensor that it holds.
struct Held {
    TensorId tensor;
    Box box;
};

/// Adds nodes and tensors to the realized graph, in the order of the schedule.
class PartWriter {
public:
    explicit PartWriter(const Graph &original);

    /// Sets the parts and the run that are recorded for nodes added from now on.
    void describe(std::vector<std::pair<PartIndex, int>> parts, RunIndex run)
    {
        m_parts = std::move(parts);
        m_run = run;
    }

    /// Returns a tensor for a version of an original one: the original itself if it is whole and
    /// computed for the first time, else a new tensor.
    TensorId version(TensorId original, const Box &box, bool again);
    TensorId constant(const Tensor &tensor);
    NodeId add(Node node, NodeId original, Realized::Role role, bool again);
    /// Returns the nodes so far.
    const std::vector<NodeId> &order() const { return m_order; }
    /// Adds a node that takes a part of a tensor.
    Held slice(const Held &held, TensorId original, const Box &box);
    /// Adds a node that joins pieces which follow each other along a dimension.
    Held join(const std::vector<Held> &pieces, TensorId original, int dim);
    /// Adds a node that combines a partial result with a further part of it.
    Held gather(const Held &sum, const Held &part, TensorId original, Combine combine);
    /// Does the same without a node: makes the node that computes the part add it to the sum
    /// itself. Returns nothing if it cannot.
    std::optional<Held> addInKernel(const Held &sum, const Held &part);

    Result<Realized> finish(const std::vector<Held> &outputs);

private:
    std::string uniqueName(const std::string &wanted);
    std::string suffix(bool again) const;
    NodeId producerOf(TensorId original) const;

    const Graph &m_original;
    GraphEditor m_editor;
    Realized m_result;
    std::vector<std::pair<PartIndex, int>> m_parts;
    RunIndex m_run;
    std::vector<NodeId> m_order;
    std::vector<bool> m_made; // by original tensor: whether a node computes it
    std::set<std::string> m_names;
    std::map<std::vector<std::int64_t>, TensorId> m_lists; // constants of Slice nodes
};

} // namespace graphloom::magis
