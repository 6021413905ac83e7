// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/block_algorithm.h"
#include "engine/codegen/emit/c_emitter.h"
#include "engine/codegen/emit/kernel_source.h"
#include "engine/codegen/schedule/loop_arrangement.h"

#include <string>
#include <vector>

namespace graphloom {

/// What a kernel's `buffers` point to.
struct KernelBuffer {
    enum class Kind : std::uint8_t {
        Tensor,   // of the block, as its storage says
        Constant, // of the block, row-major
        Packed,   // a constant as packedOperandsOf() orders it
    };
    Kind kind = Kind::Tensor;
    int tensor = 0;
    int nest = 0, packed = 0; // of a packed one: which operand of which nest
};

/// A fused block as code: phases that run one after the other, one for each group of nests.
struct BlockKernel {
    BlockNests block; // with axes joined for its storages
    std::vector<Storage> storages;
    std::vector<Schedule> schedules; // by nest
    std::vector<NestGroup> groups;
    BlockAlgorithm algorithm; // complete, groups also where there are several nests
    /// A group of nests.
    struct Phase {
        std::vector<KernelBuffer> buffers;
        std::string symbol; // by what the code says: equal code has equal names
        std::string code;
        std::int64_t tasks = 1;
        std::int64_t scratchBytes = 0; // of each thread
    };
    std::vector<Phase> phases;
};

/// Of a phase's nests.
std::span<const Schedule> schedulesOf(const BlockKernel &kernel, std::size_t phase);

/// Fails as emitC() does. `schedules` by nest, empty for the default ones. The nests are as
/// withAlgorithms() makes them; of `algorithm`, it takes the groups. Fails (Fault) when `steps`,
/// which may be null, says that it is to stop.
Result<BlockKernel> kernelOf(BlockNests block, std::vector<Storage> storages,
                             const std::vector<std::string> &schedules,
                             const ScheduleTarget &target, BlockAlgorithm algorithm = {},
                             Steps *steps = nullptr);

/// The loops that a nest of a group has in common with the others.
std::vector<SharedLoop> sharedLoopsOf(const NestGroup &group, int nest);
/// A group of the kernel's nests with other schedules, one for each nest of the group.
Result<BlockKernel::Phase> phaseOf(const BlockKernel &kernel, std::size_t group,
                                   std::span<const Schedule> schedules,
                                   const ScheduleTarget &target, Steps *steps = nullptr);

/// The flags that generated code is compiled with, for the instruction set with so many lanes.
std::vector<std::string> kernelFlags(int lanes);
/// A translation unit of phases, each once: what it includes, headers, code.
KernelSource translationUnit(const std::vector<const BlockKernel::Phase *> &phases, int lanes);

} // namespace graphloom
