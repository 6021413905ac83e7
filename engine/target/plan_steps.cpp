// SPDX-License-Identifier: Apache-2.0
#include "engine/target/plan_steps.h"

namespace graphloom {

std::vector<PlanStep> planStepsOf(const IndexedVector<StepIndex, ExecutionStep> &steps,
                                  const BlockKernels &kernels)
{
    std::vector<PlanStep> described;
    for (const ExecutionStep &step : steps) {
        PlanStep &of = described.emplace_back();
        if (step.part.isValid())
            of.block = std::uint32_t(step.part.number());
        of.symbol = step.symbol;
        of.reason = step.reason;
        of.failed = step.failed;
        of.text = step.text;
        of.schedule = step.schedule;
        if (const auto &kernel = kernels[step.block]) {
            const KernelWork work = workOf(*kernel, step.phase);
            of.nest = std::uint32_t(kernel->groups[step.phase].first.number());
            of.flops = work.flops;
            of.bytes = work.bytes;
        }
    }
    return described;
}

} // namespace graphloom
