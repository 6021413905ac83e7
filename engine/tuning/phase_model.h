// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <functional>

namespace graphloom {

/// Holds what one call of a phase takes.
struct PhaseTime {
    double seconds = 0, least = 0; // the median and the least of the samples
    int samples = 1;
    std::string problem = {}; // why there is no time
};
/// Returns the time of a phase with these schedules, one for each of its nests.
using PhaseTimes =
    std::function<PhaseTime(const BlockKernel &kernel, PhaseIndex phase, GroupSchedules schedules)>;

/// Returns times by an analytic model of a device, for tuning where nothing can be run, or where it
/// must repeat exactly. `target` says for which vectors schedules are made.
///
/// Counted are what a schedule decides: multiply-adds, loads and overhead of the register tiles,
/// their tails and the registers they lack; operands that come again from the next level because
/// the loops inside hold more than the cache; tasks that threads share unevenly. Launch and bytes
/// to memory are those of kernelSeconds(). Not counted: latencies, associativity, prefetching.
PhaseTimes modelledPhaseTimes(const Device &device, const ScheduleTarget &target);

} // namespace graphloom
