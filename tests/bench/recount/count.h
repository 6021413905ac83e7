// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace recount {

/// Holds the memory of one or several tensors while it is needed.
struct Buffer {
    std::string name;
    std::int64_t bytes = 0;
    int first = -1, last = -1;             // steps; -1: never
    bool weight = false;                   // always present
    int takesOver = -1;                    // the buffer whose memory it takes over at `first`
    std::vector<std::pair<int, int>> away; // steps from, to (exclusive): swapped out
};

struct Memory {
    std::vector<Buffer> buffers;
    std::vector<std::string> steps;       // names of nodes, or of calls that are one kernel
    std::vector<std::int64_t> workspaces; // by step
    bool countsWeights = true;
    std::vector<std::string> unknown; // tensors whose size is not in the file
    std::size_t swaps = 0;
    std::int64_t swappedBytes = 0, arenaBytes = 0, saidPeak = 0; // the last two: as in the plan
};

/// Counts the memory by the definitions of ONNX's operators alone. Calls of functions are one step
/// each if the plan in the file has them as fused blocks.
Memory memoryAlone(const Program &program);

/// Counts the memory by the schedule in the file (metadata "graphloom.memory"). Throws Problem if
/// the schedule is wrong: memory would be overwritten that is read later, or read while it is
/// swapped out.
Memory memoryPlanned(const Program &program, const std::string &schedule);

struct Peak {
    std::int64_t bytes = 0, weights = 0;
    int step = 0;
    std::vector<int> alive; // buffers, largest first
};
Peak peakOf(const Memory &memory);

} // namespace recount
