// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/target/call_timing.h"

#include <functional>
#include <optional>
#include <string>

namespace graphloom {

/// Returns timers on targets for passes (Context::timers), which measure with this number of
/// threads (0: one per core). They store measurements in the profile database: in the named file,
/// or else the user's, which is created if needed. If the user's cannot be used, `warn` is called
/// with the reason, and measurements last only as long as the timer.
CallTimers callTimers(std::function<std::vector<TargetPlugin>()> targets, unsigned threads,
                      std::optional<std::filesystem::path> profile,
                      std::function<void(const std::string &)> warn);

} // namespace graphloom
