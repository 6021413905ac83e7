// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/kernel_language.h"
#include "engine/codegen/nests/sliding_axis.h"
#include "engine/codegen/schedule/packed_operand.h"
#include "engine/codegen/schedule/schedule.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Holds what generated code depends on in the machine.
struct CodeOptions {
    int lanes = 8;          // of a vector of single-precision elements
    bool byElement = false; // ScheduleTarget::byElement
    Steps *steps = nullptr; // counts values and tells whether to stop; may be null
    const KernelLanguage *language = &cLanguage();
    std::int64_t group = 1; // ScheduleTarget::group
    bool halves = false;    // ScheduleTarget::halves
};

/// Holds the places of local tensors in a thread's memory, in bytes; -1: a tensor is in a buffer.
using ScratchOffsets = IndexedVector<BlockTensorIndex, std::int64_t>;

/// Holds a nest with all that its code depends on.
struct NestJob {
    const Nest *nest = nullptr;
    const Schedule *schedule = nullptr;
    const BlockTensors *tensors = nullptr;
    const BlockStorages *storages = nullptr;
    /// The buffer that holds each tensor; invalid for those that the nest does not touch.
    IndexedVector<BlockTensorIndex, BufferIndex> buffers;
    /// The buffer of each packed operand.
    IndexedVector<PackedIndex, BufferIndex> packedBuffers;
    /// The buffers of operands that are read as images, packed ones too.
    std::map<ReadIndex, BufferIndex> images = {};
    ScratchOffsets scratch;
    RowWindow window = {}; // if the nests of the phase slide
};

/// Describes how the nests of a phase slide along an axis, in rows of the last nest: `rows` in all,
/// `tile` at a time, `strip` in a task.
struct SlidingRows {
    std::int64_t rows = 1, tile = 1, strip = 1;
};

/// Holds a kernel phase, a function that carries out some of `tasks`, the iterations of the
/// parallel loops, as its language says. It sets *status to 1 if an index that depends on data
/// leaves its tensor. The code includes the text of the language's prelude.
struct PhaseCode {
    std::string text;
    std::int64_t tasks = 1;
    WorkItems items;
};

/// Returns the code of nests that run one after the other for each task; their parallel loops have
/// the same iterations. If they slide, a task goes through a strip of `sliding` rows, and each nest
/// computes what is new for a tile. Fails (Model) for element types that it has no code for,
/// (Usage) if schedules are not legal or do not fit together, (Fault) if stopped.
Result<PhaseCode> emitPhase(const std::vector<NestJob> &jobs,
                            const std::optional<SlidingRows> &sliding, const std::string &name,
                            const CodeOptions &options);

} // namespace graphloom
