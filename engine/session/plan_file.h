// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/import.h"
#include "engine/plan/plan.h"

namespace graphloom {

/// The plan that a file holds: of a session the one that was shown last, of an ONNX model the one
/// that was exported with it, or the model before any pass. Files of the model that are in the
/// session itself go to `extracted`. Fails as loadSession() and importOnnx() do.
Result<Plan> planOfFile(const std::filesystem::path &path, const ImportOptions &options,
                        const std::filesystem::path &extracted);

} // namespace graphloom
