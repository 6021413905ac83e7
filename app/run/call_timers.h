// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/target/call_timing.h"

#include <functional>
#include <optional>
#include <string>

namespace graphloom {

/// Timers on targets for passes (Context::timers), of runs with so many threads (0: one per core).
/// They keep what they measure in the profile database, in the named file or the user's, which is
/// made where there is none. `warn` is told why the user's cannot be used; what is measured is then
/// known as long as the timer is there.
CallTimers callTimers(std::function<std::vector<TargetPlugin>()> targets, unsigned threads,
                      std::optional<std::filesystem::path> profile,
                      std::function<void(const std::string &)> warn);

} // namespace graphloom
