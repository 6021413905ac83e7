// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/profile/profile_database.h"
#include "engine/target/target_plugins.h"

namespace graphloom {

struct CallTimingOptions {
    std::string device;          // one of the target's; "": the first
    unsigned threads = 0;        // of a run; 0: one per core of the device
    std::filesystem::path cache; // as in BuildOptions
    /// What is known is not measured again; null: one that ends with the timer.
    std::shared_ptr<ProfileDatabase> database;
    /// Of the program: another one may generate other kernels.
    std::string version;
    /// Bytes that calls may take which are measured together; 0: a quarter of this machine's
    /// memory.
    std::int64_t mostBytes = 0;
    /// Now, in seconds since some time.
    std::function<double()> clock = {};
};

/// Times calls as kernels of a target, with the algorithms and schedules that they have by default.
/// Calls with equal keys (engine/profile/kernel_key.h) are measured once.
std::shared_ptr<CallTimer> timerOn(std::shared_ptr<const Target> target, CallTimingOptions options);

/// Timers on the targets of plugins. Those, and the database, are asked for with the first timer.
CallTimers timersOn(std::function<std::vector<TargetPlugin>()> plugins, CallTimingOptions options,
                    std::function<Result<std::shared_ptr<ProfileDatabase>>()> openDatabase);

} // namespace graphloom
