// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <stop_token>
#include <vector>

namespace graphloom {

/// Returns the weights of a model, which training changes, in the order of their tensors. Files do
/// not distinguish them from tables and literals, so a constant of real elements is a weight if
/// - it meets data in some operator, directly or after being copied (transposed, expanded, joined):
///   a constant from which only other constants are computed belongs to a table;
/// - a result of that operator has a derivative by it: scales of a Resize have none;
/// - the operator uses it for something other than statistics of data (Operator::statistics);
/// - it has several elements, or that operator indexes it by an axis (the bias of a convolution
///   with one channel): other single numbers are literals of a formula.
/// The graph must be inferred, and not folded: folding turns weights into other weights. Fails
/// (Model) if a node contradicts its operator's definition; stoppedError() if stopped.
Result<std::vector<TensorId>> trainableParameters(const Graph &graph, const Opsets &opsets,
                                                  const std::stop_token &stop = {});

} // namespace graphloom
