// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/kernel_plan.h"

#include "engine/plan/plan.h"

namespace graphloom {

std::vector<std::vector<NodeId>> kernelBlocksOf(const Plan &plan)
{
    std::vector<std::vector<NodeId>> blocks;
    if (plan.fusion)
        for (const Subgraph &block : plan.fusion->partition.subgraphs)
            blocks.push_back(block.nodes);
    else
        for (const NodeId id : plan.graph.order())
            blocks.push_back({id});
    return blocks;
}

std::map<TensorId, Layout> layoutsOf(const Plan &plan)
{
    return plan.layouts ? plan.layouts->tensors : std::map<TensorId, Layout>();
}

const KernelPlan *kernelsOf(const Plan &plan)
{
    return plan.kernels && plan.kernels->fusion == plan.fusion ? plan.kernels.get() : nullptr;
}

} // namespace graphloom
