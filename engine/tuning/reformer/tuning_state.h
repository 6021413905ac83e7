// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/fusion/blocks/block_graph.h"
#include "engine/plan/plan.h"
#include "engine/tuning/block_trial.h"

namespace graphloom {

/// Holds blocks of a plan while they are tuned, how their kernels compute, and these kernels.
struct TuningState {
    using Block = BlockGraph::Block;

    BlockGraph blocks;
    std::vector<std::vector<NodeId>> parts; // of `blocks`, in the order of the kernels
    IndexedVector<Block, PartIndex> partOf;
    PartAlgorithms algorithms;
    PartSchedules schedules;
    PlanKernels kernels;

    BlockIndex indexOf(Block block) const { return kernels.blockOf(partOf[block]); }
    /// Returns null for a block that is interpreted.
    const BlockKernel *kernelOf(Block block) const
    {
        const auto &kernel = kernels.kernels[indexOf(block)];
        return kernel ? &*kernel : nullptr;
    }
    bool has(Block block) const { return !blocks.nodes(block).empty(); }
};

/// Returns the nodes of each block, in a topological order.
std::vector<std::vector<NodeId>> partsOf(const BlockGraph &blocks);

/// Returns the symbols of the kernel's phases.
std::string symbolsOf(const BlockKernel &kernel);

/// Returns the kernels of `a` that `b` has not for the same nodes, in order.
KernelSequence changedKernels(const TuningState &a, const TuningState &b);

/// Generates the kernels of blocks of one plan, all with the same target and layouts.
class StateGenerator {
public:
    /// The plan must outlive this object.
    StateGenerator(const Plan &plan, const ScheduleTarget &target);

    const Plan &plan() const { return *m_plan; }
    const ScheduleTarget &target() const { return m_options.target; }
    void setLayouts(const std::map<TensorId, Layout> &layouts) { m_options.layouts = layouts; }

    /// Fails as generateKernels() does. `known` may be null.
    Result<TuningState> state(BlockGraph blocks, PartAlgorithms algorithms, PartSchedules schedules,
                              const PlanKernels *known, std::stop_token stop) const;
    Result<PlanKernels> kernels(const std::vector<std::vector<NodeId>> &parts,
                                const PartAlgorithms &algorithms, const PartSchedules &schedules,
                                const PlanKernels *known, std::stop_token stop) const;

private:
    const Plan *m_plan;
    GenerateOptions m_options;
};

} // namespace graphloom
