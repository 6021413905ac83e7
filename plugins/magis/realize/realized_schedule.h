// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_schedule.h"
#include "plugins/magis/realize/realized_arena.h"

namespace graphloom::magis {

/// What a realized graph counts on beside its nodes, for the plan and its export. Without
/// `countsWeights`, they take no memory.
MemorySchedule scheduleOf(const Realized &realized, const RealizedMemory &memory,
                          const RealizedArena &arena, bool countsWeights);

} // namespace graphloom::magis
