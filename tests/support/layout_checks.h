// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/layout/layout.h"
#include "engine/ir/graph.h"

#include <cstdint>
#include <string>

namespace graphloom::test {

/// Returns the first defect of a drawing, in words, or an empty string if there is none: nodes,
/// label areas and groups do not overlap, everything is inside the bounds, lines start below their
/// source, end above their target and cross no node. With one column and no cycle, edges run
/// downwards.
std::string defectOf(const layout::Input &input, const layout::Layout &drawing, bool oneColumn);

/// Returns a layout input with one box of equal size per node of the graph.
layout::Input layoutInputOf(const Graph &graph);

/// Returns a random acyclic graph without double edges, most of its edges short; `groups` > 0 puts
/// ranges of its topological order into groups.
layout::Input randomLayoutInput(std::uint32_t nodes, double edgesPerNode, std::uint32_t groups,
                                std::uint64_t seed);

/// Returns a random acyclic graph as randomLayoutInput(), with nested groups.
layout::Input randomNestedInput(std::uint32_t nodes, double edgesPerNode, std::uint32_t depth,
                                std::uint64_t seed);

} // namespace graphloom::test
