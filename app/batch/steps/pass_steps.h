// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Returns the plan after the passes, as far as they got before they were cancelled. Prints nothing
/// if `rehearsing`, which is part of the verification.
Result<Plan> applied(BatchState &batch, Plan plan, bool rehearsing);
Result<void> runPasses(BatchState &batch);

} // namespace graphloom
