// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// Where a node has to be among the ranks: ports of a group are on its border.
enum class Pin : std::uint8_t { Free, First, Last };

/// The edges, with those turned round that close a cycle (found by a depth-first search in
/// input order), so that the result is acyclic.
std::vector<Edge> withoutCycles(std::size_t nodes, const std::vector<Edge> &edges,
                                std::vector<bool> *turned = nullptr);

/// A rank for every node so that each edge leads to a higher one: longest path from the
/// sources, then nodes move within their slack to where the edges get shorter. The edges must
/// be acyclic. Pins are empty or one per node; First has rank 0 alone, Last the highest alone;
/// nodes pinned First must have no incoming edges, nodes pinned Last no outgoing ones.
std::vector<std::uint32_t> rankNodes(std::size_t nodes, const std::vector<Edge> &edges,
                                     const std::vector<Pin> &pins = {});

} // namespace graphloom::layout
