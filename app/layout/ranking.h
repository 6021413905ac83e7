// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// Tells which rank a node must have. Ports of a group are pinned to the first or last rank, its
/// border.
enum class Pin : std::uint8_t { Free, First, Last };

/// Returns the edges with those reversed that close a cycle (found by a depth-first search in input
/// order), so that the result is acyclic.
std::vector<Edge> withoutCycles(std::size_t nodes, const std::vector<Edge> &edges,
                                std::vector<bool> *turned = nullptr);

/// Returns a rank for every node such that each edge leads to a higher rank: the longest path from
/// the sources, after which nodes move within their slack to where edges get shorter. The edges
/// must be acyclic. `pins` is empty or has one entry per node. Nodes pinned First have rank 0 to
/// themselves and must have no incoming edges; nodes pinned Last have the highest rank to
/// themselves and must have no outgoing edges.
std::vector<std::uint32_t> rankNodes(std::size_t nodes, const std::vector<Edge> &edges,
                                     const std::vector<Pin> &pins = {});

} // namespace graphloom::layout
