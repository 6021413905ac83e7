// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// --dry-run: opens the model, looks whether test data, profile database and what targets need are
/// there, and says what would be done. Passes, settings, outputs and baseline were checked by
/// setUp(). Fails as the steps themselves would.
Result<void> rehearseBatch(BatchState &batch);

} // namespace graphloom
