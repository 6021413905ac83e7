// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Opens the file that --compare names, before any work is done. Fails (Usage, Model) when it holds
/// no plan.
Result<void> openCompared(BatchState &batch);

/// What is different in this run's plan: a section of the report, and lines on stdout.
Result<void> tellDifferences(BatchState &batch);

} // namespace graphloom
