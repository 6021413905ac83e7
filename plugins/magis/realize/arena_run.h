// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"
#include "plugins/magis/realize/realized_memory.h"

namespace graphloom::magis {

/// A graph of a state, run in one piece of memory.
struct ArenaRun {
    std::vector<TensorData> outputs;
    std::int64_t arenaBytes = 0; // as planned (planArena())
    std::int64_t usedBytes = 0;  // the highest byte that was written, plus one
};

/// Runs the graph of a state with every tensor at its planned place: each node reads its inputs
/// from the arena and writes its results there, so that a life that is too short spoils a result.
/// What is free is overwritten by a pattern. Weights stay where they are, but for those that are
/// updated in place. Fails as the interpreter does.
Result<ArenaRun> runInArena(const MemoryGraph &memory, const Realized &realized,
                            const Opsets &opsets, const std::vector<TensorData> &inputs);

} // namespace graphloom::magis
