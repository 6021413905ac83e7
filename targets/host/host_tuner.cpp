// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuner.h"

#include "engine/cost/host.h"
#include "engine/ops/infer.h"
#include "engine/tuning/plan_tuner.h"
#include "targets/host/host_setup.h"

namespace graphloom::host {

namespace {

constexpr double milliseconds = 1e3;

/// Everything about this machine that the time of a kernel depends on.
std::string fingerprintOf(const CCompiler &compiler, const ScheduleTarget &target)
{
    return hostFacts().cpu + ", vectors of " + std::to_string(target.lanes) + ", " +
           compiler.version;
}

std::string nameOfPhase(const BlockKernel &kernel, std::size_t phase)
{
    const NestGroup &group = kernel.groups[phase];
    std::string name;
    for (int n = group.first; n < group.first + group.count; ++n)
        name += (name.empty() ? "" : "; ") + kernel.block.nests[std::size_t(n)].name;
    return name;
}

} // namespace

Result<KernelTuning> HostTuner::tune(const Plan &plan, const KernelTuningOptions &options) const
{
    const auto compiler = findCCompiler();
    if (!compiler)
        return tl::unexpected(compiler.error());
    auto cache = openCache(m_options.cache);
    if (!cache)
        return tl::unexpected(cache.error());
    GenerateOptions generate;
    generate.target = scheduleTarget(m_options);
    generate.stop = options.stop;
    const auto kernels =
        generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), generate);
    if (!kernels)
        return tl::unexpected(kernels.error());
    PlanTunerOptions tuner;
    tuner.compiler = &*compiler;
    tuner.cache = &*cache;
    tuner.threads = threadsOf(m_options);
    tuner.seconds = options.seconds;
    tuner.trialsPerPhase = options.trials;
    tuner.stop = options.stop;
    tuner.database = m_database.get();
    tuner.device = fingerprintOf(*compiler, generate.target);
    tuner.progress = options.progress;
    tuner.measured = [&](std::size_t block, std::size_t phase, const TunedCandidate &candidate) {
        options.tried({*kernels->part(block), nameOfPhase(*kernels->kernels[block], phase),
                       candidate.schedule, candidate.seconds * milliseconds, candidate.problem});
    };
    const auto tuned = tunePlan(*kernels, generate.target, tuner);
    if (!tuned)
        return tl::unexpected(tuned.error());

    KernelTuning result;
    auto made = std::make_shared<KernelPlan>();
    made->target = "host";
    made->device = tuner.device;
    made->threads = tuner.threads;
    made->fusion = plan.fusion;
    made->blocks.resize(tuned->schedules.size());
    for (std::size_t b = 0; b < tuned->schedules.size(); ++b)
        for (const std::string &schedule : tuned->schedules[b]) {
            NestKernel nest;
            nest.schedule = schedule;
            made->blocks[b].push_back(std::move(nest));
        }
    result.kernels = std::move(made);
    result.different = std::int64_t(tuned->phases.size());
    for (const TunedPhase &phase : tuned->phases)
        result.known += phase.known;
    result.trials = tuned->trials;
    result.startMs = tuned->startSeconds * milliseconds;
    result.bestMs = tuned->bestSeconds * milliseconds;
    return result;
}

} // namespace graphloom::host
