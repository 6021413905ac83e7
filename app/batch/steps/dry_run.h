// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Carries out --dry-run: opens the model, checks that test data, the profile database and the
/// requirements of targets are there, and prints what would be done. setUp() has checked passes,
/// settings, outputs and the baseline. Fails as the steps themselves would.
Result<void> rehearseBatch(BatchState &batch);

} // namespace graphloom
