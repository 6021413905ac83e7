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

/// Edits a graph as a rule asks: removes calls and adds others. Values that other calls read keep
/// their ids. A new call comes after the calls whose results it reads, and as early as the first of
/// the calls that it replaces. Calls whose operands are constants, and none of them variables,
/// become constants.
class GraphChange {
public:
    GraphChange(Graph graph, const Opsets &opsets, std::span<const TensorId> variables);

    const Graph &graph() const { return m_editor.graph(); }

    /// Removes nodes that the next calls replace; these have to produce the outputs anew.
    void remove(std::span<const NodeId> nodes);
    /// Adds a constant.
    TensorId constant(TensorData value);
    /// Adds a call and returns its one output. If the graph has an equal call, returns the output
    /// of that one instead. If `result` is given, the call is always added and computes `result`.
    TensorId call(Node node, TensorId result = {});
    /// Joins the values and returns the whole. If they are the parts of a value already, returns
    /// that one.
    TensorId joined(std::span<const TensorId> parts, const Joint &joint);
    /// Adds calls that take a whole apart into the given values.
    void divide(TensorId whole, std::span<const TensorId> parts, const Joint &joint);
    /// Replaces the calls of a merge by the one call, and takes its results apart. If the graph
    /// joins some of the operands already, the parts follow each other in that order.
    void merge(CallMerge merge);
    /// Does the same without taking the result apart, and returns it: for calls that are summed up,
    /// or whose results are joined in the order of the calls. If `result` is given, the call
    /// computes `result`.
    TensorId mergeWhole(CallMerge merge, TensorId result = {});
    /// Makes the readers of one value read the other one instead.
    void replace(TensorId from, TensorId to);

    const std::vector<NodeId> &removed() const { return m_removed; }
    const std::vector<NodeId> &added() const { return m_added; }
    /// Returns the changed graph, without nodes and values that lost their last reader. Fails
    /// (Fault, Model) if a call could not be described or the graph has a cycle.
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
    /// Returns the same elements with `more` additional leading dimensions of extent 1.
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
