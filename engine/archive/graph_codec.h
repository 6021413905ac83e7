// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/fields.h"
#include "engine/ir/graph.h"

namespace graphloom {

/// How far one graph is from another of which it may have been made: nodes and tensors that are
/// others, came or went. None where it cannot have been made of it by edits: ids that are not in
/// use any more never come back; and none where there are more than `most`, which is found out
/// without looking at the rest.
std::optional<std::size_t> changesBetween(const Graph &base, const Graph &graph,
                                          std::size_t most = ~std::size_t{0});

/// Writes what the graph changes of the base; an empty graph as base gives all of it. Requires
/// changesBetween().
void writeGraph(FieldWriter &archive, const Graph &graph, const Graph &base);

/// The graph with the same ids for everything, which shares with the base what it leaves alone.
/// The reader refuses what is no graph.
Graph readGraph(FieldReader &archive, const Graph &base);

} // namespace graphloom
