// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/tuned_kernels.h"

#include <map>

namespace graphloom {

std::shared_ptr<const KernelPlan> tunedKernels(const Plan &plan, const PlanKernels &kernels,
                                               const PlanTuning &tuning, const TuningTarget &target,
                                               const PlanTunerOptions &options)
{
    auto made = std::make_shared<KernelPlan>();
    made->target = target.name;
    made->device = options.device;
    made->threads = options.threads;
    made->fusion = plan.fusion;
    made->algorithms = tuning.algorithms.elements();
    std::map<std::string, const TunedPhase *> found;
    for (const TunedPhase &phase : tuning.phases) // equal kernels are one of them
        found[phase.symbol] = &phase;
    IndexedVector<PartIndex, IndexedVector<NestIndex, NestKernel>> parts;
    parts.resize(std::size_t(kernels.given().size()));
    for (const BlockIndex b : kernels.given()) {
        if (!kernels.kernels[b])
            continue;
        const BlockKernel &kernel = *kernels.kernels[b];
        const PartIndex part = kernels.part(b);
        IndexedVector<NestIndex, NestKernel> &nests = parts[part];
        nests.resize(kernel.block.nests.size());
        if (tuning.schedules.contains(part))
            for (const NestIndex n : tuning.schedules[part].indices())
                nests[n].schedule = tuning.schedules[part][n];
        for (const PhaseIndex p : kernel.phases.indices()) {
            NestKernel &first = nests[kernel.groups[p].first];
            const auto phase = found.find(kernel.phases[p].symbol);
            if (phase == found.end())
                continue;
            if (phase->second->block == b && phase->second->phase == p)
                first.trials = phase->second->trials;
            const auto figure = [&](double seconds) {
                return seconds > 0 ? std::optional(Figure{1e3 * seconds, "ms", target.provenance})
                                   : std::nullopt;
            };
            first.before = figure(phase->second->startSeconds);
            first.time = figure(phase->second->bestSeconds);
        }
    }
    for (const TunedBlock &block : tuning.blocks)
        if (IndexedVector<NestIndex, NestKernel> &nests = parts[block.block]; !nests.empty())
            nests.front().trials += block.trials;
    for (IndexedVector<NestIndex, NestKernel> &nests : parts)
        made->blocks.push_back(std::move(nests.elements()));
    return made;
}

} // namespace graphloom
