// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <vector>

namespace graphloom {

/// Returns the gradient with respect to one input of an operator call, by reverse mode over the
/// stages of its description. The inputs of the new description are the call's inputs, then its
/// outputs, then the gradients of its outputs (`given` tells, by output, which of these are there);
/// its only output has the type and shape of the input. Fails (Model) if there is no gradient: with
/// respect to integers, through steps or positions, of opaque calls. Ties of a maximum share its
/// gradient; where elements were overwritten twice (ScatterElements without reduction), all writers
/// get it.
Result<Description> adjoint(const Call &call, const Description &description, int input,
                            const std::vector<bool> &given);

/// Tells, by input, whether the stages of a description read it.
std::vector<bool> inputsRead(const Description &description, std::size_t inputs);

} // namespace graphloom
