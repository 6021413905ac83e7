// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <vector>

namespace graphloom {

/// The gradient by one input of an operator call: reverse mode over the stages of its description.
/// The inputs of the new description are the call's inputs, then its outputs, then the gradients of
/// its outputs (of which the `given` ones are there: one flag for each output); its one output has
/// the type and shape of the input. Fails (Model) where there is no gradient: of integers, through
/// steps or positions, of opaque calls. Ties of a maximum share its gradient; where elements were
/// overwritten twice (ScatterElements without reduction), all writers get it.
Result<Description> adjoint(const Call &call, const Description &description, int input,
                            const std::vector<bool> &given);

/// The inputs of a description that its stages read.
std::vector<bool> inputsRead(const Description &description, std::size_t inputs);

} // namespace graphloom
