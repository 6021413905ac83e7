// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/batch_state.h"

namespace graphloom {

/// Checks assertions and the baseline, and writes the report.
Result<void> writeReport(BatchState &batch);

} // namespace graphloom
