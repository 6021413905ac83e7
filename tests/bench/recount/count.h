// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace recount {

/// Memory of one or several tensors, while it is needed.
struct Buffer {
    std::string name;
    std::int64_t bytes = 0;
    int first = -1, last = -1;             // steps; -1: never
    bool weight = false;                   // always there
    int takesOver = -1;                    // buffer that it comes in the place of at `first`
    std::vector<std::pair<int, int>> away; // steps from, to (exclusive): swapped out
};

struct Memory {
    std::vector<Buffer> buffers;
    std::vector<std::string> steps;       // names of nodes, or of calls that are one kernel
    std::vector<std::int64_t> workspaces; // by step
    bool countsWeights = true;
    std::vector<std::string> unknown; // tensors whose size the file does not tell
    std::size_t swaps = 0;
    std::int64_t swappedBytes = 0, arenaBytes = 0, saidPeak = 0; // the last two: as the plan says
};

/// By what ONNX says of operators alone. Calls of functions are one step each where the plan in the
/// file has them as fused blocks.
Memory memoryAlone(const Program &program);

/// By the schedule in the file (metadata "graphloom.memory"). Throws Problem where it does not
/// hold: something would be overwritten that is read later, or is read while it is swapped out.
Memory memoryPlanned(const Program &program, const std::string &schedule);

struct Peak {
    std::int64_t bytes = 0, weights = 0;
    int step = 0;
    std::vector<int> alive; // buffers, largest first
};
Peak peakOf(const Memory &memory);

} // namespace recount
