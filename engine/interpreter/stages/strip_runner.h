// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_program.h"
#include "engine/interpreter/stages/strip_access.h"

#include <stop_token>

namespace graphloom {

/// Runs a stage on strips along its best axis, in the task arena of the calling thread. Reductions
/// are accumulated in the order of the loops, whatever the axis. Ends early if `stop` is requested
/// or a failure was reported; the written value is then unspecified.
void runStrips(const LoweredStage &stage, const StageProgram &program, const std::stop_token &stop,
               StageFailure &failure);

/// Advances to the next point of loops `first` up to `end`, innermost fastest, leaving out loop
/// `skipped`. Returns false after the last point, when all are 0 again.
bool advance(const LoweredStage &stage, Point &at, int first, int end, int skipped = -1);

} // namespace graphloom
