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
/// The sign that stands for it where colours do: "", "~", "+", "−".
std::string_view signOf(Difference difference);

/// What two graphs say of a node: both are valid where it is the same or changed.
struct NodeDifference {
    Difference kind = Difference::Same;
    NodeId before, now;
    /// In words: "attribute strides is [1, 1], was [2, 2]"; empty where nothing differs.
    std::vector<std::string> changes;
    bool renamed = false; // which is no change
    /// Of an added node: nodes before that it does the work of; of a removed one: nodes now that do
    /// its work. By origins, where they are known.
    std::vector<NodeId> related;
    std::string reason; // why a removed node has none; may be empty
};

/// Of graph inputs, graph outputs and constants; results of nodes are told with them.
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
    /// All nodes of both graphs: in the order of the present one, those that went behind what they
    /// followed.
    std::vector<NodeDifference> nodes;
    /// Those that differ. Constants that came or went with all their readers are told with them.
    std::vector<TensorDifference> tensors;

    /// How many nodes there are of each kind.
    std::array<std::size_t, 4> counts{};
    std::size_t count(Difference kind) const { return counts[std::size_t(kind)]; }
    bool isSame() const { return count(Difference::Same) == nodes.size() && tensors.empty(); }
};

/// Both graphs side by side. Weights are the same when their elements are, wherever they are kept.
GraphComparison compare(Graph before, Graph now, const AlignmentHints &hints = {});

/// One drawing of both: the present graph with the nodes that went, whose ids come behind its own.
/// What they read and wrote that nothing reads any more is captured by its readers, so that lines
/// lead there, except where that would close a cycle. Such a graph is to be looked at, not to run.
struct UnionGraph {
    Graph graph;
    /// By node id of the union: the number in GraphComparison::nodes.
    std::vector<std::size_t> differences;
    NodeId of(const NodeDifference &difference) const;
    std::vector<NodeId> removed; // by node id before: in the union; invalid where it is not gone
};
Result<UnionGraph> unionOf(const GraphComparison &comparison);

} // namespace graphloom
