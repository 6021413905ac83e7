// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/codegen/storage/margin_runs.h"
#include "engine/plan/memory/arena.h"
#include "engine/runtime/aligned_bytes.h"
#include "engine/runtime/node_graph.h"

namespace graphloom {

/// Counts the steps of a plan in the order in which they run.
using StepIndex = TypedIndex<struct ExecutableStepTag>;
/// Counts the waves in the order in which they run.
using WaveIndex = TypedIndex<struct WaveTag>;
/// Counts the tensors that have memory in the arena, the inputs and outputs of the graph, and the
/// constants, as their kernels read them.
using ArenaIndex = TypedIndex<struct ArenaTensorTag>;
using BorderIndex = TypedIndex<struct BorderTensorTag>;
using ConstantIndex = TypedIndex<struct ConstantTag>;

/// Says where a buffer is: one of the three indices is valid.
struct BufferPlace {
    ArenaIndex arena;
    BorderIndex border;
    ConstantIndex constant;

    auto operator<=>(const BufferPlace &) const = default;
};

/// Describes one phase of a kernel, or an interpreted block.
struct ExecutionStep {
    BlockIndex block;
    PartIndex part;       // invalid where it copies an input
    PhaseIndex phase;     // invalid when interpreted
    std::string symbol;   // of the kernel; empty when interpreted
    std::string reason;   // why it is interpreted
    bool failed = false;  // there is a kernel, but it does not compile or failed its trial
    std::string text;     // what it computes
    std::string schedule; // as text

    std::int64_t tasks = 0;           // for threads to share
    std::vector<BufferPlace> buffers; // in the order of the kernel's
    /// Elements of margins, which the kernel does not write.
    struct Fill {
        BufferPlace place;
        std::int64_t first = 0, count = 0;
        Element value = {};
    };
    std::vector<Fill> fills;
    std::vector<NodeGraph> interpreted;
    /// Holds where the operands of an interpreted node are, in row-major order: all of its inputs
    /// and outputs, invalid where an optional one is missing. Known for every step or none
    /// (ExecutionPlanOptions::placesAll).
    struct NodePlaces {
        NodeId node;
        std::vector<BufferPlace> inputs, outputs;
    };
    std::vector<NodePlaces> nodes;
    std::vector<TensorId> released; // values of interpreted nodes that are not read afterwards

    bool isKernel() const { return phase.isValid(); }
};

/// Holds what runs, in which order, and where its buffers are. Nothing depends on the memory or on
/// the machine on which it will be: the plan can run in this process (Executable), or be written
/// down to run elsewhere.
struct ExecutionPlan {
    /// Describes consecutive steps that do not depend on each other: their tasks are distributed
    /// together.
    struct Wave {
        StepIndex first;
        int count = 1;

        IndexRange<StepIndex> steps() const { return {first, first + count}; }
    };
    struct ArenaTensor {
        TensorId tensor; // invalid: a block's own
        std::int64_t bytes = 0, offset = 0;
    };
    /// Inputs and outputs are in row-major order, without margins.
    struct BorderTensor {
        TensorId tensor;
        std::int64_t bytes = 0;
    };
    /// Describes a constant by the first buffer that it is for; equal ones are one. One that an
    /// interpreted node reads is described by its tensor.
    struct Constant {
        BlockIndex block;
        PhaseIndex phase;
        BufferIndex buffer;
        std::int64_t bytes = 0;
        TensorId tensor = {};
    };

    Graph graph;
    IndexedVector<BlockIndex, std::vector<NodeId>> blocks;
    int copies = 0; // of inputs, which are the first blocks
    BlockKernels kernels;
    PlanStorages storages;
    IndexedVector<StepIndex, ExecutionStep> steps;
    IndexedVector<WaveIndex, Wave> waves;
    IndexedVector<ArenaIndex, ArenaTensor> arena;
    IndexedVector<BorderIndex, BorderTensor> border;
    IndexedVector<ConstantIndex, Constant> constants;
    std::int64_t arenaBytes = 0;
    std::int64_t leastArenaBytes = 0; // no layout can need less
    std::int64_t scratchBytes = 0;    // of one thread; whole pages

    /// Returns which of the given blocks it is, an invalid one if it is a copy.
    PartIndex part(BlockIndex block) const
    {
        return block.number() < copies ? PartIndex() : PartIndex(block.number() - copies);
    }
    /// Returns the bytes of what is at a valid place.
    std::int64_t bytesAt(const BufferPlace &place) const;
    std::int64_t constantBytes() const;
    std::int64_t borderBytes() const;
};

struct ExecutionPlanOptions {
    /// With several threads, small steps that do not depend on each other form waves.
    unsigned threads = 1;
    RefusedParts failed = {}; // parts whose steps are marked
    /// Gives operands of interpreted nodes their memory in the plan, too. Fails (Model) if the
    /// extents of one are known only at run time, or if a node has a graph of its own.
    bool placesAll = false;
    std::int64_t alignment = bufferAlignment; // of tensors in the arena, in bytes
};

/// Returns the plan of the kernels. Fails (Model) if a node to be interpreted cannot be a graph of
/// its own.
Result<ExecutionPlan> executionPlanOf(PlanKernels kernels, const ExecutionPlanOptions &options);

/// Writes a constant as its kernels read it: `to` has its bytes. Its data are released
/// (TensorData::release()).
void writeConstant(const ExecutionPlan &plan, ConstantIndex constant, std::span<std::byte> to);

} // namespace graphloom
