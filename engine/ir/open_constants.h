// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>

namespace graphloom {

/// Returns the graph with some of its constants turned into inputs, after its own: for
/// transformations that must not compute anything from their elements, since these change in the
/// next step of training.
Result<Graph> withOpenConstants(const Graph &graph, std::span<const TensorId> constants);

/// Returns what a transformation has made of such a graph (`open`), with the constants restored
/// from the given one. Inputs are found by name.
Result<Graph> withClosedConstants(const Graph &open, const Graph &given,
                                  std::span<const TensorId> constants);

} // namespace graphloom
