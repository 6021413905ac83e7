// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/schedule/schedule.h"
#include "engine/codegen/storage/packed_operand.h"

#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// What generated code knows of the machine.
struct CodeOptions {
    int lanes = 8;          // of a vector of single-precision elements
    Steps *steps = nullptr; // counts values, and is asked whether to stop; may be null
};

/// A nest with all that its code depends on.
struct NestJob {
    const Nest *nest = nullptr;
    const Schedule *schedule = nullptr;
    const std::vector<BlockTensor> *tensors = nullptr;
    std::span<const Storage> storages; // of the block's tensors
    /// Which entry of `buffers` a tensor is, by tensor; -1: it is not touched.
    std::vector<int> buffers;
    /// The same for the packed operands, in the order of packedOperandsOf().
    std::vector<int> packedBuffers;
    /// Bytes into the thread's memory, by tensor, of those that are there; -1: it is in `buffers`.
    std::vector<std::int64_t> scratch;
};

/// A kernel phase in C: a function
///     void NAME(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
/// that carries out the tasks first..last-1 of `tasks`, the iterations of the parallel loops. It
/// sets *status to 1 when an index that depends on data leaves its tensor. The code includes what
/// cPrelude() gives.
struct PhaseCode {
    std::string text;
    std::int64_t tasks = 1;
};

/// Of nests that run one after the other for each task; their parallel loops have the same
/// iterations. Fails (Model) on element types that it has no code for, (Usage) on schedules that
/// are not legal or do not go together, (Fault) when stopped.
Result<PhaseCode> emitC(const std::vector<NestJob> &jobs, const std::string &name,
                        const CodeOptions &options);

} // namespace graphloom
