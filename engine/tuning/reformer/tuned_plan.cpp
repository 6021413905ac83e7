// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/tuned_plan.h"

#include "engine/codegen/build/compiled_kernels.h"
#include "engine/ops/derive/infer.h"
#include "engine/profile/kernel_key.h"
#include "engine/tuning/reformer/reformer.h"
#include "engine/tuning/reformer/tuned_kernels.h"

#include <chrono>
#include <set>

namespace graphloom {

namespace {

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
        samples.provenance = options.provenance;
        samples.minNs = samples.medianNs = milliseconds * 1e6;
        samples.count = 1;
        samples.measuredAtMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count();
        (void)options.database->recordSoon(*key, samples);
    }
}

/// Notes where the kernels of the tuned plan are: the trials have compiled most of them.
void noteBest(const Plan &plan, const PlanKernels &known, const TuningTarget &target,
              const PlanTunerOptions &options)
{
    GenerateOptions generate;
    generate.target = target.schedules;
    generate.layouts = layoutsOf(plan);
    generate.algorithms = PartAlgorithms(plan.kernels->algorithms);
    for (const std::vector<NestKernel> &block : plan.kernels->blocks) {
        NestSchedules &nests = generate.schedules.emplace_back();
        for (const NestKernel &nest : block)
            nests.push_back(nest.schedule);
    }
    generate.known = &known;
    const auto kernels =
        generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan), generate);
    CompileOptions compiled;
    compiled.lanes = target.schedules.lanes;
    compiled.compiler = options.compiler;
    compiled.cache = options.cache;
    if (kernels)
        noteKernels(kernels->kernels, compiled);
}

} // namespace

Result<Plan> tunedPlan(const Plan &plan, const TuningTarget &target,
                       const PlanTunerOptions &options)
{
    const double start = options.clock();
    PlanTunerOptions tuner = options;
    if (plan.fusion)
        tuner.stable = {plan.fusion->tuning.stableGain, plan.fusion->tuning.stableTrials};
    ReformedPlan reformed{plan, nullptr, {}, {}};
    if (plan.fusion && plan.fusion->tuning.reforms) {
        GL_TRY_RESULT(made, reformedPlan(plan, target, tuner));
        reformed = *std::move(made);
    } else {
        const Opsets opsets = opsetsOf(*plan.model);
        const auto parts = kernelBlocksOf(plan);
        GenerateOptions generate;
        generate.target = target.schedules;
        generate.layouts = layoutsOf(plan);
        generate.stop = options.stop;
        GL_TRY_RESULT(kernels, generateKernels(plan.graph, opsets, parts, generate));
        const auto estimated = std::make_shared<const PlanKernels>(*std::move(kernels));
        generate.known = estimated.get();
        tuner.generate = [&](const PartAlgorithms &algorithms, std::stop_token stop) {
            generate.algorithms = algorithms;
            generate.stop = std::move(stop);
            return generateKernels(plan.graph, opsets, parts, generate);
        };
        if (options.seconds > 0) // 0 means something else
            tuner.seconds = std::max(1e-3, options.seconds - (options.clock() - start));
        GL_TRY_RESULT(tuning, tunePlan(*estimated, target.schedules, tuner));
        reformed.kernels = tuning->kernels ? tuning->kernels : estimated;
        reformed.tuning = *std::move(tuning);
    }
    Plan &tuned = reformed.plan;
    tuned.kernels = tunedKernels(tuned, *reformed.kernels, reformed.tuning, target, options);
    if (options.database)
        keepBlocks(tuned, *reformed.kernels, *tuned.kernels, options);
    if (options.cache && options.compiler)
        noteBest(tuned, *reformed.kernels, target, options);
    return std::move(tuned);
}

} // namespace graphloom
