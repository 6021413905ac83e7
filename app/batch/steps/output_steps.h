// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Puts in place what is made of the plan: exported model, kernels, trace. They are withheld, which
/// is said, when a verification, test data or a gate has failed, or the verification was cancelled.
Result<void> placeProducts(BatchState &batch);
/// Writes what tells of the run: report and HTML, also where checks have failed.
Result<void> writeAccounts(BatchState &batch);
/// Says which outputs a run that ended early has not written.
void tellUnwritten(BatchState &batch);

/// Writes JUnit and SARIF, whatever has happened. All are tried; the first error is returned.
Result<void> writeVerdicts(BatchState &batch, int exitCode);

} // namespace graphloom
