// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"
#include "plugins/magis/realize/realized_memory.h"

namespace graphloom::magis {

/// Holds the results of running the graph of a state in one piece of memory.
struct ArenaRun {
    std::vector<TensorData> outputs;
    std::int64_t arenaBytes = 0; // as planned (planArena())
    std::int64_t usedBytes = 0;  // the highest byte that was written, plus one
};

/// Runs the graph of a state with every tensor at its planned place. Each node reads its inputs
/// from the arena and writes its results there, so that a lifetime that is too short spoils a
/// result; free memory is overwritten with a pattern. Weights stay where they are, except those
/// that are updated in place. Fails as the interpreter does.
Result<ArenaRun> runInArena(const MemoryGraph &memory, const Realized &realized,
                            const Opsets &opsets, const std::vector<TensorData> &inputs);

} // namespace graphloom::magis
