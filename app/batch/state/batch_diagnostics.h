// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/report/diagnostic.h"
#include "app/batch/state/batch_state.h"

namespace graphloom {

/// What there is to tell of a run: of the model, of what passes and generators refused or could not
/// do, and of failed checks. What is wrong with the surroundings is not among it.
std::vector<Diagnostic> diagnosticsOf(const BatchState &batch);

/// As a SARIF log.
std::string sarifOf(const BatchState &batch, int exitCode);

} // namespace graphloom
