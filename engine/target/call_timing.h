// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/profile/profile_database.h"
#include "engine/target/target_plugins.h"

namespace graphloom {

struct CallTimingOptions {
    std::string device;          // one of the target's devices(); "": the first
    unsigned threads = 0;        // of one run; 0: one per core of the device
    std::filesystem::path cache; // as in BuildOptions
    /// Times in the database are not measured again; null: a temporary one that ends with the
    /// timer.
    std::shared_ptr<ProfileDatabase> database;
    /// The program's version: another version may generate other kernels.
    std::string version;
    /// The most bytes that calls measured together may take; 0: a quarter of this machine's memory.
    std::int64_t mostBytes = 0;
    /// How often calls are measured, all of them before any of them again; the least time counts.
    int times = 1;
    /// Returns the present time in seconds since an arbitrary moment.
    std::function<double()> clock = {};
};

/// Returns a timer that times calls as kernels of a target, with their default algorithms and
/// schedules. Calls with equal keys (engine/profile/kernel_key.h) are measured once.
std::shared_ptr<CallTimer> timerOn(std::shared_ptr<const Target> target, CallTimingOptions options);

/// Returns timers on the targets of plugins. The plugins and the database are requested with the
/// first timer.
CallTimers timersOn(std::function<std::vector<TargetPlugin>()> plugins, CallTimingOptions options,
                    std::function<Result<std::shared_ptr<ProfileDatabase>>()> openDatabase);

} // namespace graphloom
