// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuning.h"

#include "engine/cost/host.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/tuning/plan_tuner.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace graphloom::host {

namespace {

/// As a device's fingerprint says it.
std::string vectorsOf(const InstructionSet &set)
{
    return "vectors of " + std::to_string(set.lanes) + ", ";
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
            const auto figure = [](double seconds) {
                return seconds > 0 ? std::optional(Figure{1e3 * seconds, "ms", Provenance::Host})
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

/// Stores what whole blocks take, the sums over their phases, under the keys by which fusion looks
/// them up. A time that cannot be stored is not an error.
void keepBlocks(const Plan &plan, const PlanKernels &kernels, const KernelPlan &tuned,
                const PlanTunerOptions &options)
{
    const auto blocks = kernelBlocksOf(plan);
    const Opsets opsets = opsetsOf(*plan.model);
    const std::string device = profiledDevice(options.device, options.threads);
    std::set<std::uint64_t> stored; // equal blocks once
    for (const BlockIndex b : kernels.given()) {
        if (!kernels.kernels[b])
            continue;
        const BlockKernel &kernel = *kernels.kernels[b];
        const std::vector<NestKernel> &nests = tuned.blocks[std::size_t(kernels.part(b).number())];
        double milliseconds = 0;
        bool isWhole = true;
        std::string schedule;
        for (const PhaseIndex p : kernel.phases.indices()) {
            const NestKernel &first = nests[std::size_t(kernel.groups[p].first.number())];
            isWhole = isWhole && first.time;
            milliseconds += first.time ? first.time->value : 0;
        }
        for (const NestKernel &nest : nests)
            schedule += (schedule.empty() ? "" : " | ") + nest.schedule;
        auto key =
            kernelKeyOf(plan.graph, opsets, blocks[std::size_t(kernels.part(b).number())], device);
        if (!isWhole || !key)
            continue;
        key->schedule = "tuned: " + schedule;
        if (!stored.insert(key->hash()).second)
            continue;
        LatencySamples samples;
        samples.minNs = samples.medianNs = milliseconds * 1e6;
        samples.count = 1;
        samples.measuredAtMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count();
        (void)options.database->recordSoon(*key, samples);
    }
}

} // namespace

Result<std::shared_ptr<const KernelPlan>> tuneKernels(const Plan &plan, const InstructionSet &set,
                                                      const ScheduleTarget &target,
                                                      const TuneOptions &options,
                                                      const CCompiler &compiler, KernelCache &cache)
{
    const double start = options.clock();
    GenerateOptions generate;
    generate.target = target;
    generate.layouts = layoutsOf(plan);
    const auto generated = [&](const PartAlgorithms &algorithms, std::stop_token stop) {
        generate.algorithms = algorithms;
        generate.stop = std::move(stop);
        return generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), generate);
    };
    GL_TRY_CONST(kernels, generated({}, options.stop));
    PlanTunerOptions tuner;
    tuner.compiler = &compiler;
    tuner.cache = &cache;
    tuner.threads = unsigned(target.threads);
    if (options.seconds > 0) // 0 means something else
        tuner.seconds = std::max(1e-3, options.seconds - (options.clock() - start));
    else
        tuner.seconds = 0;
    tuner.trials = options.trials;
    tuner.stop = options.stop;
    tuner.clock = options.clock;
    tuner.database = options.database.get();
    tuner.device = fingerprintOf(set, compiler);
    tuner.progress = options.progress;
    tuner.prepared = options.prepared;
    generate.known = &*kernels;
    tuner.generate = generated;
    tuner.measured = [&](const KernelPlace &place, const TunedCandidate &candidate) {
        const bool measured = candidate.problem.empty() && candidate.samples > 0;
        if (!measured && (candidate.problem.empty() || options.stop.stop_requested()))
            return; // stopped before its turn, or while it was compiled
        options.tried({place, candidate.schedule, 1e3 * candidate.least, candidate.problem,
                       candidate.byDefault, candidate.uses, Provenance::Host});
    };
    GL_TRY_CONST(tuning, tunePlan(*kernels, generate.target, tuner));
    const PlanKernels &made = tuning->kernels ? *tuning->kernels : *kernels;
    auto tuned = kernelPlanOf(plan, made, *tuning, tuner);
    if (tuner.database)
        keepBlocks(plan, made, *tuned, tuner);
    return tuned;
}

std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler)
{
    return hostFacts().cpu + ", " + std::string(set.title) + ", " + vectorsOf(set) +
           compiler.version;
}

bool isTunedFor(const KernelPlan &kernels, const InstructionSet &set)
{
    // A plan that was made by hand names no device.
    return kernels.device.empty() || kernels.device.find(vectorsOf(set)) != std::string::npos;
}

} // namespace graphloom::host
