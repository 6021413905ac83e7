// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// What the passes make of a plan; as far as they get before they are cancelled. Nothing is said
/// of a rehearsal, which belongs to the verification.
Result<Plan> applied(BatchState &batch, Plan plan, bool rehearsing);
Result<void> runPasses(BatchState &batch);

} // namespace graphloom
