// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/tuning_state.h"

#include "engine/ops/derive/infer.h"

#include <set>
#include <utility>

namespace graphloom {

std::vector<std::vector<NodeId>> partsOf(const BlockGraph &blocks)
{
    std::vector<std::vector<NodeId>> parts;
    for (Subgraph &part : blocks.partition({}).subgraphs)
        parts.push_back(std::move(part.nodes));
    return parts;
}

std::string symbolsOf(const BlockKernel &kernel)
{
    std::string symbols;
    for (const BlockKernel::Phase &phase : kernel.phases)
        symbols += " " + phase.symbol;
    return symbols;
}

KernelSequence changedKernels(const TuningState &a, const TuningState &b)
{
    // A kernel that copies an input has no nodes of the plan's graph.
    const auto keyOf = [](const TuningState &state, BlockIndex block) {
        static const std::vector<NodeId> none;
        const PartIndex part = state.kernels.part(block);
        return std::pair(part.isValid() ? state.parts[std::size_t(part.number())] : none,
                         symbolsOf(*state.kernels.kernels[block]));
    };
    std::multiset<std::pair<std::vector<NodeId>, std::string>> others;
    for (const BlockIndex block : b.kernels.kernels.indices())
        if (b.kernels.kernels[block])
            others.insert(keyOf(b, block));
    KernelSequence changed;
    for (const BlockIndex block : a.kernels.kernels.indices()) {
        if (!a.kernels.kernels[block])
            continue;
        if (const auto same = others.find(keyOf(a, block)); same != others.end())
            others.erase(same);
        else
            changed.push_back(&*a.kernels.kernels[block]);
    }
    return changed;
}

StateGenerator::StateGenerator(const Plan &plan, const ScheduleTarget &target) : m_plan(&plan)
{
    m_options.target = target;
    m_options.layouts = layoutsOf(plan);
}

Result<TuningState> StateGenerator::state(BlockGraph blocks, PartAlgorithms algorithms,
                                          PartSchedules schedules, const PlanKernels *known,
                                          std::stop_token stop) const
{
    TuningState state{std::move(blocks), {}, {}, std::move(algorithms), std::move(schedules), {}};
    state.parts = partsOf(state.blocks);
    state.partOf.resize(state.blocks.names().size());
    for (std::size_t p = 0; p < state.parts.size(); ++p)
        state.partOf[state.blocks.blockOf(state.parts[p].front())] = PartIndex(p);
    GL_TRY_RESULT(made,
                  kernels(state.parts, state.algorithms, state.schedules, known, std::move(stop)));
    state.kernels = std::move(*made);
    return state;
}

Result<PlanKernels> StateGenerator::kernels(const std::vector<std::vector<NodeId>> &parts,
                                            const PartAlgorithms &algorithms,
                                            const PartSchedules &schedules,
                                            const PlanKernels *known, std::stop_token stop) const
{
    GenerateOptions options = m_options;
    options.algorithms = algorithms;
    options.schedules = schedules;
    options.known = known;
    options.stop = std::move(stop);
    return generateKernels(m_plan->graph, opsetsOf(*m_plan->model), parts, options);
}

} // namespace graphloom
