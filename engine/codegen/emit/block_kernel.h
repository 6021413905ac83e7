// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/block_algorithm.h"
#include "engine/codegen/emit/kernel_emitter.h"
#include "engine/codegen/emit/kernel_source.h"
#include "engine/codegen/schedule/loop_arrangement.h"
#include "engine/cost/instruction_set.h"

#include <string>
#include <vector>

namespace graphloom {

/// Names what an entry of a kernel's `buffers` points to.
struct KernelBuffer {
    enum class Kind : std::uint8_t {
        Tensor,   // a tensor of the block, laid out as its storage says
        Constant, // a constant of the block, in row-major order
        Packed,   // a constant in the order of packedOperandsOf()
    };
    Kind kind = Kind::Tensor;
    BlockTensorIndex tensor;
    // If it is packed: which packed operand of which nest.
    NestIndex nest = {};
    PackedIndex packed = {};
    bool isImage = false; // it is read as an image (Schedule::image())
};

/// Holds the schedules of a block's nests as text, "" for the default one.
using NestSchedules = IndexedVector<NestIndex, std::string>;

/// Holds the code of a fused block: phases that run one after the other, one for each group of
/// nests.
struct BlockKernel {
    BlockNests block; // with axes joined for its storages
    BlockStorages storages;
    IndexedVector<NestIndex, Schedule> schedules;
    NestGroups groups;
    BlockAlgorithm algorithm; // complete; names groups if there are several nests
    /// Holds the code of a group of nests.
    struct Phase {
        IndexedVector<BufferIndex, KernelBuffer> buffers;
        std::string symbol; // named after the code: equal code has equal names
        std::string code;
        std::int64_t tasks = 1;
        WorkItems items;
        std::int64_t scratchBytes = 0; // of each thread, or of the work-items of a task
    };
    IndexedVector<PhaseIndex, Phase> phases;
};

/// Returns the schedules of a phase's nests.
GroupSchedules schedulesOf(const BlockKernel &kernel, PhaseIndex phase);

/// Returns the kernel of a block. `schedules` holds one schedule per nest, or is empty for the
/// default ones. The nests are as withAlgorithms() makes them; of `algorithm`, only the groups are
/// used. Fails as emitPhase() does, and (Fault) if `steps`, which may be null, tells it to stop.
Result<BlockKernel> kernelOf(BlockNests block, BlockStorages storages,
                             const NestSchedules &schedules, const ScheduleTarget &target,
                             BlockAlgorithm algorithm = {}, Steps *steps = nullptr);

/// Returns the loops that a nest of a group shares with the others.
std::vector<SharedLoop> sharedLoopsOf(const NestGroup &group, MemberIndex member);
/// Returns a phase for a group of the kernel's nests with other schedules, one for each nest of the
/// group.
Result<BlockKernel::Phase> phaseOf(const BlockKernel &kernel, PhaseIndex group,
                                   GroupSchedules schedules, const ScheduleTarget &target,
                                   Steps *steps = nullptr);

/// Returns the flags for compiling generated code for an instruction set.
std::vector<std::string> kernelFlags(const InstructionSet &set);
/// Returns the same for that of this machine with so many lanes, if there is one.
std::vector<std::string> kernelFlags(int lanes);
/// Returns a translation unit with each of the phases once: what it includes, headers, code.
KernelSource translationUnit(const std::vector<const BlockKernel::Phase *> &phases, int lanes);

} // namespace graphloom
