// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/report/diagnostic.h"
#include "app/batch/state/batch_state.h"

namespace graphloom {

/// Returns the diagnostics of a run: of the model, of refusals and limits of passes and generators,
/// and of failed checks. Problems of the environment are not included.
std::vector<Diagnostic> diagnosticsOf(const BatchState &batch);

/// Returns the diagnostics as a SARIF log.
std::string sarifOf(const BatchState &batch, int exitCode);

} // namespace graphloom
