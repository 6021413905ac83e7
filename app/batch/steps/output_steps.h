// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Puts the products of the plan in place: exported model, kernels, trace. They are withheld, with
/// a message, if a verification, test data or a gate has failed, or the verification was cancelled.
Result<void> placeProducts(BatchState &batch);
/// Writes the accounts of the run, report and HTML, also if checks have failed.
Result<void> writeAccounts(BatchState &batch);
/// Prints which outputs a run that ended early has not written.
void tellUnwritten(BatchState &batch);

/// Writes JUnit and SARIF in any case. All are tried; the first error is returned.
Result<void> writeVerdicts(BatchState &batch, int exitCode);

} // namespace graphloom
