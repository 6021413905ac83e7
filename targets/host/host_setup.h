// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/default_schedule.h"
#include "engine/codegen/kernel_cache.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// The cache in the named folder; in the user's own when none is named.
Result<KernelCache> openCache(const std::filesystem::path &named);
/// Those asked for, else one for each core.
unsigned threadsOf(const BuildOptions &options);
/// What schedules on this machine are chosen for.
ScheduleTarget scheduleTarget(const BuildOptions &options);

} // namespace graphloom::host
