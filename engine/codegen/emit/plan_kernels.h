// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/winograd_choice.h"
#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/storage/plan_storages.h"
#include "engine/cost/device.h"
#include "engine/ir/graph.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>

namespace graphloom {

struct PlanKernels;

/// Counts the blocks that kernels are asked for (kernelBlocksOf()).
using PartIndex = TypedIndex<struct GivenBlockTag>;

/// Hold blocks that no kernel is to be generated for, and the reasons.
using RefusedParts = std::map<PartIndex, std::string>;
using RefusedBlocks = std::map<BlockIndex, std::string>;
/// Hold algorithms as text (block_algorithm.h), "" for the estimated one, and schedules.
using PartAlgorithms = IndexedVector<PartIndex, std::string>;
using PartSchedules = IndexedVector<PartIndex, NestSchedules>;

/// Holds what is decided about the kernels of a plan before they are generated.
struct KernelChoices {
    ScheduleTarget target;
    PartSchedules schedules;
    RefusedParts refused;               // blocks that are interpreted
    std::map<TensorId, Layout> layouts; // LayoutPlan::tensors
    /// Where there are some, `schedules` refers to the nests that result from them.
    PartAlgorithms algorithms;
};

struct GenerateOptions : KernelChoices {
    std::stop_token stop = {};
    /// Receives the fraction done in 0..1.
    std::function<void(double)> progress = [](double) {};
    /// Counts steps, and tells whether to stop in place of `stop`. May be null.
    Steps *steps = nullptr;
    /// Kernels generated before for the same graph and target, perhaps with other blocks: what
    /// would be generated unchanged is taken from there. May be null.
    const PlanKernels *known = nullptr;
    /// The given blocks that kernels are generated for; none: all. Storages are chosen as if the
    /// others had theirs.
    std::optional<std::set<PartIndex>> only = std::nullopt;
};

/// Holds a kernel for each block; none where it is interpreted, or not wanted (GenerateOptions).
using BlockKernels = IndexedVector<BlockIndex, std::optional<BlockKernel>>;

/// Holds the kernels of a graph's blocks, not yet compiled.
struct PlanKernels {
    Graph graph; // the one given, with copies of inputs that windows read outside of
    IndexedVector<BlockIndex, std::vector<NodeId>> blocks; // one for each copy, then those given
    int copies = 0;
    BlockKernels kernels;
    IndexedVector<BlockIndex, std::string> reasons; // why a block is interpreted
    PlanStorages storages;
    PlanNests nests;                              // as nestsOf() gives them
    IndexedVector<BlockIndex, std::string> asked; // algorithms requested
    IndexedVector<BlockIndex, NestSchedules> askedSchedules;
    /// Costs of the ways to compute a convolution, by the nest that nestsOf() gives it. Set only
    /// where there is a choice.
    IndexedVector<BlockIndex, std::map<NestIndex, std::vector<WinogradCost>>> convolutions;

    /// Returns the first of the given blocks, and the block that a given one is.
    BlockIndex firstGiven() const { return BlockIndex(copies); }
    BlockIndex blockOf(PartIndex part) const { return firstGiven() + part.number(); }
    /// Returns the given blocks.
    IndexRange<BlockIndex> given() const { return {firstGiven(), blocks.nextIndex()}; }
    /// Returns which of the given blocks it is, an invalid one if it is a copy.
    PartIndex part(BlockIndex block) const
    {
        return block < firstGiven() ? PartIndex() : PartIndex(block - firstGiven());
    }
};

/// Generates the kernels of a plan. `parts` hold every node of the graph once, in a topological
/// order. Blocks that no kernel can be generated for are left to the interpreter, with the reason.
/// Fails (Usage), naming the block, if a schedule or an algorithm cannot be carried out, and
/// (Fault) if stopped.
Result<PlanKernels> generateKernels(const Graph &graph, const Opsets &opsets,
                                    const std::vector<std::vector<NodeId>> &parts,
                                    const GenerateOptions &options);

/// Returns the work of one run of a phase: scalar operations, and the bytes of the tensors that it
/// reads and writes, each counted once; `cacheBytes` counts those that stay in a thread's memory.
KernelWork workOf(const BlockKernel &kernel, PhaseIndex phase);

} // namespace graphloom
