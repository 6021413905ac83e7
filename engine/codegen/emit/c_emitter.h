// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/schedule/schedule.h"
#include "engine/codegen/storage/packed_operand.h"

#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Holds what generated code depends on in the machine.
struct CodeOptions {
    int lanes = 8;          // of a vector of single-precision elements
    Steps *steps = nullptr; // counts values and tells whether to stop; may be null
};

/// Holds a nest with all that its code depends on.
struct NestJob {
    const Nest *nest = nullptr;
    const Schedule *schedule = nullptr;
    const std::vector<BlockTensor> *tensors = nullptr;
    std::span<const Storage> storages; // of the block's tensors
    /// Entry of `buffers` that holds a tensor, by tensor; -1: it is not touched.
    std::vector<int> buffers;
    /// Entry of `buffers` for each packed operand, in the order of packedOperandsOf().
    std::vector<int> packedBuffers;
    /// Offset in bytes into the thread's memory, by tensor; -1: the tensor is in `buffers`.
    std::vector<std::int64_t> scratch;
};

/// Holds a kernel phase in C, a function
///     void NAME(void *const *buffers, char *scratch, int64_t first, int64_t last, int32_t *status)
/// that carries out the tasks first..last-1 of `tasks`, the iterations of the parallel loops. It
/// sets *status to 1 if an index that depends on data leaves its tensor. The code includes the text
/// of cPrelude().
struct PhaseCode {
    std::string text;
    std::int64_t tasks = 1;
};

/// Returns the code of nests that run one after the other for each task; their parallel loops have
/// the same iterations. Fails (Model) for element types that it has no code for, (Usage) if
/// schedules are not legal or do not fit together, (Fault) if stopped.
Result<PhaseCode> emitC(const std::vector<NestJob> &jobs, const std::string &name,
                        const CodeOptions &options);

} // namespace graphloom
