// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Holds numbers for tensors whose value comes from outside and for outputs, by tensor id: aligned
/// tensors have the same number in both graphs. 0: none.
struct BorderLabels {
    std::vector<std::uint64_t> inputs, outputs;
};

/// Selects what of a node itself is labelled: its operator, its attributes and the constants that
/// it reads.
enum class NodeLabel {
    Form,   // types and shapes of the constants: independent of resolution and batch
    Shapes, // also types and shapes of the results
    Exact,  // types, shapes and elements of the constants
};
inline constexpr std::size_t nodeLabels = 3;
std::uint64_t labelOf(const Graph &graph, NodeId id, NodeLabel what);

/// Returns, by node id, a number for everything that the node is computed from, up to inputs and
/// weights.
std::vector<std::uint64_t> upstreamLabels(const Graph &graph, const BorderLabels &border,
                                          const std::vector<std::uint64_t> &own);
/// Returns, by node id, a number for everything that is computed from the node, down to outputs.
std::vector<std::uint64_t> downstreamLabels(const Graph &graph, const BorderLabels &border,
                                            const std::vector<std::uint64_t> &own);
/// Returns, by node id, labels of a node and its neighbours together, one step further than
/// `labels`.
std::vector<std::uint64_t> widened(const Graph &graph, const BorderLabels &border,
                                   const std::vector<std::uint64_t> &labels);

} // namespace graphloom
