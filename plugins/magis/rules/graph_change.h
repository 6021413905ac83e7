// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "plugins/magis/rules/call_merge.h"

#include <map>
#include <span>
#include <vector>

namespace graphloom::magis {

/// What a rule makes of a graph: calls that go and calls that come. Values that other calls read
/// keep their ids. A new call stands behind what it reads, as early as the first of the calls it
/// replaces; calls of constants that are no variables become constants.
class GraphChange {
public:
    GraphChange(Graph graph, const Opsets &opsets, std::span<const TensorId> variables);

    const Graph &graph() const { return m_editor.graph(); }

    /// Nodes that the next calls replace; their outputs are to be given anew.
    void remove(std::span<const NodeId> nodes);
    /// A new constant.
    TensorId constant(TensorData value);
    /// The one output of a call: a new value, or that of an equal call; a `result` that is given
    /// becomes the output.
    TensorId call(Node node, TensorId result = {});
    /// The values joined: what they are parts of, if there is such a value.
    TensorId joined(std::span<const TensorId> parts, const Joint &joint);
    /// Makes the given values parts of a whole.
    void divide(TensorId whole, std::span<const TensorId> parts, const Joint &joint);
    /// Puts the one call in the place of what it merges, and takes its results apart. Parts follow
    /// each other in the order in which operands are joined already, if any are.
    void merge(CallMerge merge);
    /// The same with nothing taken apart: where calls are summed up, or their results are joined in
    /// the order of the calls.
    /// A `result` that is given becomes the output.
    TensorId mergeWhole(CallMerge merge, TensorId result = {});
    /// Readers of one value read the other one instead.
    void replace(TensorId from, TensorId to);

    const std::vector<NodeId> &removed() const { return m_removed; }
    const std::vector<NodeId> &added() const { return m_added; }
    /// The changed graph, without nodes and values that lost their last reader. Fails (Fault,
    /// Model) where a call could not be described or the graph has a cycle.
    Result<Graph> finish() &&;

private:
    std::vector<TensorId> calls(Node node, std::vector<TensorId> outputs, std::size_t count = 1);
    Node joinedCall(const CallMerge &merge);
    void arrange(CallMerge &merge) const;
    TensorId equalCall(const Node &node) const;
    std::optional<std::vector<TensorId>> folded(const Call &call, const Description &description,
                                                const Node &node);
    TensorId integers(const std::vector<std::int64_t> &values)
    {
        return constant(TensorData::fromInt64s(values));
    }
    /// The same elements with so many leading dimensions of extent 1 more.
    TensorId padded(TensorId value, int more);
    NodeId add(Node node);
    void removeUnread();

    GraphEditor m_editor;
    const Opsets &m_opsets;
    std::span<const TensorId> m_variables;
    TensorNames m_names;
    std::string m_name;            // of the first node that was removed last
    std::vector<NodeId> m_origins; // of all that were removed
    double m_anchor = 0;
    std::map<NodeId, double> m_places; // of new nodes, among the positions of the old ones
    std::vector<NodeId> m_removed, m_added;
    std::vector<TensorId> m_loose; // may have lost their last reader
    std::optional<Error> m_error;
};

} // namespace graphloom::magis
