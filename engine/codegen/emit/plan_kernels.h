// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/winograd_choice.h"
#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/storage/plan_storages.h"
#include "engine/cost/device.h"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>

namespace graphloom {

struct PlanKernels;

/// Holds blocks that no kernel is to be generated for, and the reasons.
using RefusedBlocks = std::map<std::size_t, std::string>;

/// Holds what is decided about the kernels of a plan before they are generated.
struct KernelChoices {
    ScheduleTarget target;
    /// Schedules of nests, by block, where they are not the default ones.
    std::vector<std::vector<std::string>> schedules;
    RefusedBlocks refused;              // blocks that are interpreted
    std::map<TensorId, Layout> layouts; // LayoutPlan::tensors
    /// Algorithms of blocks, by block (block_algorithm.h), where they differ from the estimate.
    /// `schedules` then refers to the nests that result.
    std::vector<std::string> algorithms;
};

struct GenerateOptions : KernelChoices {
    std::stop_token stop = {};
    /// Receives the fraction done in 0..1.
    std::function<void(double)> progress = [](double) {};
    /// Counts steps, and tells whether to stop in place of `stop`. May be null.
    Steps *steps = nullptr;
    /// Kernels generated before for the same graph, blocks and target: what would be generated
    /// unchanged is taken from there. May be null.
    const PlanKernels *known = nullptr;
};

/// Holds the kernels of a graph's blocks, not yet compiled.
struct PlanKernels {
    Graph graph; // the one given, with copies of inputs that windows read outside of
    std::vector<std::vector<NodeId>> blocks; // a block for each copy, then those given
    std::size_t copies = 0;
    std::vector<std::optional<BlockKernel>> kernels; // by block; none: it is interpreted
    std::vector<std::string> reasons;                // why it is interpreted, by block
    PlanStorages storages;
    std::vector<std::optional<BlockNests>> nests; // by block, as nestsOf() gives them
    std::vector<std::string> asked;               // algorithms requested, by block
    /// Costs of the ways to compute a convolution, by block and nest, as nestsOf() gives it. Set
    /// only where there is a choice.
    std::vector<std::map<int, std::vector<WinogradCost>>> convolutions;

    /// Returns which of the given blocks it is, or nothing if it is a copy.
    std::optional<std::uint32_t> part(std::size_t block) const
    {
        return block < copies ? std::nullopt : std::optional(std::uint32_t(block - copies));
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
KernelWork workOf(const BlockKernel &kernel, std::size_t phase);

} // namespace graphloom
