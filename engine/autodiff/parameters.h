// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <stop_token>
#include <vector>

namespace graphloom {

/// The weights of a model, in the order of their tensors: what training changes. Files do not tell
/// them from tables and literals, so a constant of real elements is one if
/// - it meets data in some operator, as it is or as copied (transposed, expanded, joined) before: a
///   constant from which only other constants are computed belongs to a table;
/// - a result of that operator has a derivative by it: scales of a Resize have none;
/// - the operator has it for something other than statistics of data (Operator::statistics);
/// - it has several elements, or that operator looks it up by an axis (the bias of a convolution
///   with one channel): other single numbers are literals of a formula.
/// The graph must be inferred, and not folded: folding makes weights of weights. Fails (Model)
/// when a node contradicts its operator's definition; stoppedError() when stopped.
Result<std::vector<TensorId>> trainableParameters(const Graph &graph, const Opsets &opsets,
                                                  const std::stop_token &stop = {});

} // namespace graphloom
