// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/kernel_emitter.h"

namespace graphloom {

/// Holds what a task does of a nest.
struct NestTask {
    NestDeclarations declarations;
    std::string body; // finds the iterations of the parallel loops in variables (taskVariable())
    IndexedVector<LoopIndex, std::int64_t> counts; // iterations of the parallel loops
    std::int64_t items = 1;                        // of the loops that work-items share
};

/// Writes the loops of a nest; if nests slide, what is new of it for a tile of rows. Fails as
/// emitPhase() does.
Result<NestTask> emitNest(const NestJob &job, const std::optional<SlidingRows> &sliding,
                          const CodeOptions &options);

/// Returns the variable that holds the iteration of a parallel loop in the current task.
std::string taskVariable(LoopIndex loop);
/// Returns a number as code writes it into memory: elements of half precision are integers there.
std::string storedLiteral(double value, DataType type);

} // namespace graphloom
