// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Writes the exported model to a temporary file, and verifies the result, the file and the kernels
/// against the model as opened. The file gets its name when all checks are done (output_steps.h).
Result<void> stageAndVerify(BatchState &batch);
/// Runs the result on stored inputs and compares with the stored outputs.
Result<void> runTestData(BatchState &batch);
/// Fails (Model) if a file with weights was truncated while it was mapped: the weights read as
/// zeros from there on.
Result<void> checkIntact(const BatchState &batch);

} // namespace graphloom
