// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Opens the file of --compare before any work is done. Fails (Usage, Model) if it holds no plan.
Result<void> openCompared(BatchState &batch);

/// Reports the differences to this run's plan: a section of the report, and lines on stdout.
Result<void> tellDifferences(BatchState &batch);

} // namespace graphloom
