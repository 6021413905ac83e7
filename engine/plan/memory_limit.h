// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/objective.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphloom {

/// Reads a limit: "0.6" or "60%", a share of the original's peak, up to 1; or an amount, "512MiB". Fails
/// (Usage) for any other text.
Result<MemoryLimit> readMemoryLimit(const std::string &text);

/// Reads the whole text as a finite number above 0. Returns nothing for any other text.
std::optional<double> readPositive(std::string_view text);

} // namespace graphloom
