// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_values.h"
#include "engine/ops/describe/stage.h"

#include <stop_token>

namespace graphloom {

/// Runs a stage exactly as stage.h defines it: loops over the axes and evaluates every index map
/// and the body at every point. Slow, but supports all element types: strings and complex numbers
/// can be moved, selected and compared for equality.
Result<void> runLiterally(const Stage &stage, StageValues &values, const Call &call,
                          const std::stop_token &stop);

} // namespace graphloom
