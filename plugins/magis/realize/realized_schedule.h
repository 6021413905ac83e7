// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_schedule.h"
#include "plugins/magis/realize/realized_arena.h"

namespace graphloom::magis {

/// Returns the schedule of a realized graph, with the memory that it relies on besides its nodes,
/// for the plan and its export. Without `countsWeights`, weights take no memory.
MemorySchedule scheduleOf(const Realized &realized, const RealizedMemory &memory,
                          const RealizedArena &arena, bool countsWeights);

} // namespace graphloom::magis
