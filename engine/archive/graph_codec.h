// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/fields.h"
#include "engine/ir/graph.h"

namespace graphloom {

/// Returns how far one graph is from another from which it may have been made: the number of nodes
/// and tensors that were changed, added or removed. Returns nothing if it cannot have been made
/// from it by edits (ids that are no longer in use never come back), and if there are more than
/// `most` changes, which is detected without examining the rest.
std::optional<std::size_t> changesBetween(const Graph &base, const Graph &graph,
                                          std::size_t most = ~std::size_t{0});

/// Writes the changes of the graph from the base; with an empty base, writes the whole graph.
/// Requires that changesBetween() returns a value.
void writeGraph(FieldWriter &archive, const Graph &graph, const Graph &base);

/// Reads a graph with the same ids for everything, which shares with the base what it leaves
/// unchanged. The reader refuses bytes that are no graph.
Graph readGraph(FieldReader &archive, const Graph &base);

} // namespace graphloom
