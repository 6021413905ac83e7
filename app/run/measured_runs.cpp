// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/measured_runs.h"

#include <algorithm>

namespace graphloom {

std::string makersOf(const Plan &plan)
{
    std::vector<std::string> makers;
    for (const PassRecord &record : plan.history)
        if (!std::ranges::count(makers, record.pass))
            makers.push_back(record.pass);
    if (const KernelPlan *kernels = kernelsOf(plan))
        for (const std::vector<NestKernel> &block : kernels->blocks)
            if (std::ranges::any_of(block, [](const NestKernel &nest) {
                    return nest.trials > 0 || !nest.schedule.empty();
                })) {
                makers.emplace_back("tuned");
                break;
            }
    std::string text;
    for (const std::string &maker : makers)
        text += (text.empty() ? "" : ", ") + maker;
    return text.empty() ? "original" : text;
}

ProfiledRun profiledRun(const Plan &plan, const TargetOutcome &outcome, std::string model,
                        const MeasuredAt &at)
{
    const Measurement &measured = *outcome.after;
    return {.device = nameOf(outcome),
            .machine = at.machine,
            .model = std::move(model),
            .plan = makersOf(plan),
            .threads = std::int64_t(outcome.threads),
            .runs = std::max(measured.runs, 1),
            .minMs = measured.whole.min,
            .medianMs = measured.whole.median,
            .p95Ms = std::max(measured.whole.p95, measured.whole.median),
            .isBracket = measured.isBracket,
            .provenance = outcome.provenance,
            .megahertz = measured.megahertz,
            .celsius = measured.celsius,
            .joules = measured.joules,
            .measuredAtMs = at.ms,
            .version = GRAPHLOOM_VERSION};
}

} // namespace graphloom
