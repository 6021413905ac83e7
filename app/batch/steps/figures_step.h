// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Makes the report, and checks assertions and the baseline with it.
Result<void> checkFigures(BatchState &batch);

} // namespace graphloom
