// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Tunes, writes and builds the plan's kernels, as far as they are asked for. Afterwards there is a
/// target in the batch if anything is to run there.
Result<void> buildForTarget(BatchState &batch);
/// Measures what was built, and writes a trace.
Result<void> measureOnTarget(BatchState &batch);

} // namespace graphloom
