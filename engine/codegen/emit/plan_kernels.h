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

/// Blocks that no kernel is to be generated for, and why.
using RefusedBlocks = std::map<std::size_t, std::string>;

/// What is decided about the kernels of a plan before there are any.
struct KernelChoices {
    ScheduleTarget target;
    /// Schedules of a block's nests by block, where they are not the default ones.
    std::vector<std::vector<std::string>> schedules;
    RefusedBlocks refused;              // that are interpreted
    std::map<TensorId, Layout> layouts; // LayoutPlan::tensors
    /// How blocks compute, by block (block_algorithm.h), where it is not as estimated. Nests of
    /// `schedules` are those that then are.
    std::vector<std::string> algorithms;
};

struct GenerateOptions : KernelChoices {
    std::stop_token stop = {};
    /// Fraction done in 0..1.
    std::function<void(double)> progress = [](double) {};
    /// Counts, and is asked whether to stop in the place of `stop`. May be null.
    Steps *steps = nullptr;
    /// Generated before for the same graph, blocks and target: what would be the same again is
    /// taken from there. May be null.
    const PlanKernels *known = nullptr;
};

/// The kernels of a graph's blocks, not compiled yet.
struct PlanKernels {
    Graph graph; // the one given, with copies of inputs that windows read outside of
    std::vector<std::vector<NodeId>> blocks; // those given, behind a block for each copy
    std::size_t copies = 0;
    std::vector<std::optional<BlockKernel>> kernels; // by block; none: it is interpreted
    std::vector<std::string> reasons;                // why it is, by block
    PlanStorages storages;
    std::vector<std::optional<BlockNests>> nests; // by block, as nestsOf() gives them
    std::vector<std::string> asked;               // algorithms that were asked for, by block
    /// By block and nest, as nestsOf() gives it: what the ways cost that a convolution can be
    /// computed. Only where there is a choice.
    std::vector<std::map<int, std::vector<WinogradCost>>> convolutions;

    /// Which of the blocks given it is; none: a copy.
    std::optional<std::uint32_t> part(std::size_t block) const
    {
        return block < copies ? std::nullopt : std::optional(std::uint32_t(block - copies));
    }
};

/// `parts` hold every node of the graph once, in a topological order. What no kernel can be
/// generated for is left to the interpreter, with the reason. Fails (Usage) naming the block when a
/// schedule or an algorithm cannot be carried out, (Fault) when stopped.
Result<PlanKernels> generateKernels(const Graph &graph, const Opsets &opsets,
                                    const std::vector<std::vector<NodeId>> &parts,
                                    const GenerateOptions &options);

/// What one run of a phase does: scalar operations, and the bytes of the tensors that it reads and
/// writes, each counted once; those that stay in a thread's memory are `cacheBytes`.
KernelWork workOf(const BlockKernel &kernel, std::size_t phase);

} // namespace graphloom
