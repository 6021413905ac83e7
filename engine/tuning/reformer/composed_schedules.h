// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/schedule/schedule_target.h"

#include <span>

namespace graphloom {

/// Composes the schedules of kernels to those of a kernel that computes the same nodes together
/// (AGO section V, JOIN): each of its nests gets the register tile, the unrolling and the order of
/// loops that the nest for the same nodes had, as far as it has them, whatever loops it shares now.
/// Returns a schedule for each nest of `joined`, "" where nothing is taken over.
NestSchedules composedSchedules(std::span<const BlockKernel *const> kernels,
                                const BlockKernel &joined, const ScheduleTarget &target);

} // namespace graphloom
