// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Opens the model and makes its first plan, of a training graph if that was requested.
Result<void> openModel(BatchState &batch);

} // namespace graphloom
