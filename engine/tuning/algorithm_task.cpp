// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/algorithm_task.h"

#include "engine/codegen/nests/contraction.h"

namespace graphloom {

namespace {

/// An algorithm must be faster by this factor, more than the noise of two measurements.
constexpr double worthIt = 0.98;

std::string shapeOf(const BlockNests &block)
{
    std::string shape;
    for (const Nest &nest : block.nests)
        if (contractionOf(nest))
            for (const std::int64_t extent : nest.extents())
                shape += std::to_string(extent) + "x";
    return shape;
}

} // namespace

double AlgorithmTask::bestTime() const
{
    double best = 0;
    for (const auto &[text, seconds] : times)
        if (seconds > 0 && (best == 0 || seconds < best))
            best = seconds;
    return best;
}

std::string AlgorithmTask::bestWay() const
{
    const auto estimated = times.find(start);
    if (estimated == times.end() || estimated->second == 0)
        return start;
    auto best = estimated;
    for (auto at = times.begin(); at != times.end(); ++at)
        if (at->second > 0 && at->second < best->second)
            best = at;
    return best->second < worthIt * estimated->second ? best->first : start;
}

double roughCost(const BlockKernel &kernel, PhaseIndex phase)
{
    const KernelWork work = workOf(kernel, phase);
    return work.flops + 4 * work.bytes;
}

std::vector<AlgorithmTask> algorithmTasksOf(const PlanKernels &kernels)
{
    std::vector<AlgorithmTask> tasks;
    std::map<std::string, std::size_t> known;
    for (const BlockIndex b : kernels.given()) {
        if (!kernels.kernels[b])
            continue;
        const BlockKernel &kernel = *kernels.kernels[b];
        if (kernels.convolutions[b].empty() && kernel.block.nests.size() < 2)
            continue;
        std::string structure = "block";
        for (const BlockKernel::Phase &phase : kernel.phases)
            structure += " " + phase.symbol;
        const auto [at, isNew] = known.try_emplace(structure, tasks.size());
        if (isNew) {
            AlgorithmTask &task = tasks.emplace_back();
            task.block = b;
            task.start = kernel.algorithm.text();
            task.shape = shapeOf(*kernels.nests[b]) + task.start;
            task.result.block = kernels.part(b);
            task.result.structure = structure;
        }
        AlgorithmTask &task = tasks[at->second];
        for (const PhaseIndex p : kernel.phases.indices())
            task.weight += roughCost(kernel, p);
        task.parts.push_back(kernels.part(b));
        task.result.uses = int(task.parts.size());
    }
    return tasks;
}

} // namespace graphloom
