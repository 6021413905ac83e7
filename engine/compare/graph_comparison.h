// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/compare/alignment.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

enum class Difference { Same, Changed, Added, Removed };
std::string_view nameOf(Difference difference); // "same", "changed", …
/// Returns the sign that stands for the difference together with its colour: "", "~", "+", "−".
std::string_view signOf(Difference difference);

/// Compares a node of two graphs; both ids are valid if it is the same or changed.
struct NodeDifference {
    Difference kind = Difference::Same;
    NodeId before, now;
    /// Says what differs: "attribute strides is [1, 1], was [2, 2]".
    std::vector<std::string> changes;
    bool renamed = false; // does not count as a change
    /// Holds the nodes whose work an added node does, or the nodes that now do the work of a
    /// removed one. Based on origins, if these are known.
    std::vector<NodeId> related;
    std::string reason; // why a removed node has no related nodes; may be empty
};

/// Compares graph inputs, graph outputs and constants; results of nodes are covered by their nodes.
struct TensorDifference {
    enum class Role { Input, Output, Constant };
    Difference kind = Difference::Same;
    Role role = Role::Input;
    TensorId before, now;
    std::vector<std::string> changes;
};
std::string_view nameOf(TensorDifference::Role role);

struct GraphComparison {
    Graph before, now;
    Alignment alignment;
    /// All nodes of both graphs, in the order of the present one; removed nodes come after those
    /// that they followed.
    std::vector<NodeDifference> nodes;
    /// Tensors that differ. Constants that were added or removed with all their readers are covered
    /// by these.
    std::vector<TensorDifference> tensors;

    /// Number of nodes for each difference.
    std::array<std::size_t, 4> counts{};
    std::size_t count(Difference kind) const { return counts[std::size_t(kind)]; }
    bool isSame() const { return count(Difference::Same) == nodes.size() && tensors.empty(); }
};

/// Compares two graphs. Weights are the same if their elements are, wherever they are kept.
GraphComparison compare(Graph before, Graph now, const AlignmentHints &hints = {});

/// Combines both graphs for drawing: the present graph with the removed nodes, whose ids follow its
/// own. A remaining node that read the result of a removed one captures it, so that a line leads
/// there, except where that would close a cycle. Such a graph is for display only, not to be run.
struct UnionGraph {
    Graph graph;
    /// Indices into GraphComparison::nodes, by node id of the union.
    std::vector<std::size_t> differences;
    NodeId of(const NodeDifference &difference) const;
    std::vector<NodeId> removed; // by node id before: id in the union; invalid if not removed
};
Result<UnionGraph> unionOf(const GraphComparison &comparison);

} // namespace graphloom
