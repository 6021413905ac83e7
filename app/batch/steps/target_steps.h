// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Tunes, writes and builds the plan's kernels, as far as requested. Afterwards the batch has a
/// target if anything has to run there.
Result<void> buildForTarget(BatchState &batch);
/// Measures the built plan, and writes a trace.
Result<void> measureOnTarget(BatchState &batch);

} // namespace graphloom
