// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/kernel_choices.h"

#include "engine/ops/derive/infer.h"

namespace graphloom {

namespace {

bool isTunedFor(const KernelPlan &kernels, int lanes)
{
    // A plan that was made by hand names no device.
    return kernels.device.empty() ||
           kernels.device.find(vectorsText(lanes) + ",") != std::string::npos;
}

} // namespace

KernelChoices kernelChoicesOf(const Plan &plan, const ScheduleTarget &target)
{
    KernelChoices choices;
    choices.target = target;
    choices.layouts = layoutsOf(plan);
    if (const KernelPlan *kernels = kernelsOf(plan);
        kernels && isTunedFor(*kernels, target.lanes)) {
        choices.algorithms = PartAlgorithms(kernels->algorithms);
        for (const std::vector<NestKernel> &block : kernels->blocks) {
            NestSchedules &nests = choices.schedules.emplace_back();
            for (const NestKernel &nest : block)
                nests.push_back(nest.schedule);
        }
    }
    return choices;
}

Result<ExecutionPlan> executionPlanFor(const Plan &plan, const ScheduleTarget &target,
                                       const BuildOptions &options, bool placesAll,
                                       std::int64_t alignment)
{
    GenerateOptions generate{kernelChoicesOf(plan, target)};
    generate.stop = options.stop;
    generate.progress = [&](double done) { options.progress(0.5 * done, "generating kernels"); };
    GL_TRY_RESULT(kernels, generateKernels(plan.graph, opsetsOf(*plan.model), kernelBlocksOf(plan),
                                           generate));
    return executionPlanOf(*std::move(kernels),
                           {unsigned(target.threads), {}, placesAll, alignment});
}

std::string vectorsText(int lanes)
{
    return "vectors of " + std::to_string(lanes);
}

} // namespace graphloom
