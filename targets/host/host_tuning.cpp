// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuning.h"

#include "engine/cost/host.h"
#include "engine/ops/infer.h"
#include "engine/tuning/plan_tuner.h"

#include <algorithm>
#include <map>

namespace graphloom::host {

namespace {

/// Everything that a kernel's latency depends on here.
std::string fingerprint(const CCompiler &compiler)
{
    return hostFacts().cpu + ", vectors of " + std::to_string(hostFacts().lanes) + ", " +
           compiler.version;
}

/// How many phases have equal code, by its symbol.
std::map<std::string, int> usesOfPhases(const PlanKernels &kernels)
{
    std::map<std::string, int> uses;
    for (const auto &kernel : kernels.kernels)
        if (kernel)
            for (const BlockKernel::Phase &phase : kernel->phases)
                ++uses[phase.symbol];
    return uses;
}

/// As a candidate has it.
std::string defaultSchedule(const BlockKernel &kernel, std::size_t phase)
{
    const NestGroup &group = kernel.groups[phase];
    std::string text;
    for (int nest = group.first; nest < group.first + group.count; ++nest)
        text += (nest > group.first ? " | " : "") + kernel.schedules[std::size_t(nest)].text();
    return text;
}

int trialsPerPhase(const std::map<std::string, int> &phases, std::int64_t trials)
{
    const auto each = trials / std::int64_t(std::max<std::size_t>(phases.size(), 1));
    return int(std::clamp<std::int64_t>(each, 1, 100'000));
}

std::shared_ptr<const KernelPlan> kernelPlanOf(const Plan &plan, const PlanKernels &kernels,
                                               const PlanTuning &tuning,
                                               const PlanTunerOptions &options)
{
    auto made = std::make_shared<KernelPlan>();
    made->target = "host";
    made->device = options.device;
    made->threads = options.threads;
    made->fusion = plan.fusion;
    made->blocks.resize(kernels.blocks.size() - kernels.copies);
    std::map<std::string, const TunedPhase *> found;
    for (const TunedPhase &phase : tuning.phases) // equal kernels are one of them
        found[phase.symbol] = &phase;
    for (std::size_t b = kernels.copies; b < kernels.blocks.size(); ++b) {
        if (!kernels.kernels[b])
            continue;
        const BlockKernel &kernel = *kernels.kernels[b];
        const auto part = *kernels.part(b);
        std::vector<NestKernel> &nests = made->blocks[part];
        nests.resize(kernel.block.nests.size());
        if (part < tuning.schedules.size())
            for (std::size_t n = 0; n < tuning.schedules[part].size(); ++n)
                nests[n].schedule = tuning.schedules[part][n];
        for (std::size_t p = 0; p < kernel.phases.size(); ++p) {
            NestKernel &first = nests[std::size_t(kernel.groups[p].first)];
            const auto phase = found.find(kernel.phases[p].symbol);
            if (phase == found.end())
                continue;
            if (phase->second->block == b && phase->second->phase == p)
                first.trials = phase->second->trials;
            if (const double seconds = phase->second->bestSeconds; seconds > 0)
                first.time = Figure{1e3 * seconds, "ms", Provenance::Host};
        }
    }
    return made;
}

} // namespace

Result<std::shared_ptr<const KernelPlan>> tuneKernels(const Plan &plan,
                                                      const ScheduleTarget &target,
                                                      const TuneOptions &options,
                                                      const CCompiler &compiler, KernelCache &cache)
{
    GenerateOptions generate;
    generate.target = target;
    generate.layouts = layoutsOf(plan);
    generate.stop = options.stop;
    const auto kernels =
        generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), generate);
    if (!kernels)
        return tl::unexpected(kernels.error());
    const std::map<std::string, int> uses = usesOfPhases(*kernels);
    PlanTunerOptions tuner;
    tuner.compiler = &compiler;
    tuner.cache = &cache;
    tuner.threads = unsigned(target.threads);
    tuner.seconds = options.seconds;
    if (options.trials > 0)
        tuner.trialsPerPhase = trialsPerPhase(uses, options.trials);
    tuner.stop = options.stop;
    tuner.database = options.database.get();
    tuner.device = fingerprint(compiler);
    tuner.progress = options.progress;
    tuner.measured = [&](std::size_t block, std::size_t phase, const TunedCandidate &candidate) {
        const bool measured = candidate.problem.empty() && candidate.samples > 0;
        if (!measured && (candidate.problem.empty() || options.stop.stop_requested()))
            return; // stopped before its turn, or while it was compiled
        const BlockKernel &kernel = *kernels->kernels[block];
        options.tried({*kernels->part(block), std::uint32_t(kernel.groups[phase].first),
                       candidate.schedule, 1e3 * candidate.least, candidate.problem,
                       candidate.schedule == defaultSchedule(kernel, phase),
                       uses.at(kernel.phases[phase].symbol), Provenance::Host});
    };
    const auto tuning = tunePlan(*kernels, generate.target, tuner);
    if (!tuning)
        return tl::unexpected(tuning.error());
    return kernelPlanOf(plan, *kernels, *tuning, tuner);
}

} // namespace graphloom::host
