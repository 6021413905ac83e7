// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/import.h"
#include "engine/plan/plan.h"

namespace graphloom {

/// Returns the plan of a file: for a session, the plan that was shown last; for an ONNX model, the
/// plan that was exported with it, or else the model before any pass. Model files that are stored
/// in the session itself are extracted to `extracted`. Fails as loadSession() and importOnnx() do.
Result<Plan> planOfFile(const std::filesystem::path &path, const ImportOptions &options,
                        const std::filesystem::path &extracted);

} // namespace graphloom
