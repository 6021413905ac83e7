// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_program.h"
#include "engine/interpreter/stages/strip_access.h"

#include <stop_token>

namespace graphloom {

/// Runs a stage that sums a product of two reads, each of which is shared by many results. The
/// stage's space axes fall into those that only the first read depends on, those that only the
/// second depends on, and those that both depend on (batches, groups). Blocks of both operands are
/// packed into panels of doubles, whatever their index maps, and multiplied. Products are summed in
/// the order of the reduction axes, as in runStrips(). Returns false, having done nothing, for
/// other stages.
bool runContraction(const LoweredStage &stage, const StageProgram &program,
                    const std::stop_token &stop, StageFailure &failure);

} // namespace graphloom
