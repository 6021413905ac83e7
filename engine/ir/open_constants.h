// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>

namespace graphloom {

/// The graph with some of its constants as inputs, behind its own: for transformations that must
/// not compute anything of their elements, as they are others in the next step of training.
Result<Graph> withOpenConstants(const Graph &graph, std::span<const TensorId> constants);

/// What a transformation has made of such a graph, with the constants as they were in the given
/// one. Inputs are found by name.
Result<Graph> withClosedConstants(const Graph &open, const Graph &given,
                                  std::span<const TensorId> constants);

} // namespace graphloom
