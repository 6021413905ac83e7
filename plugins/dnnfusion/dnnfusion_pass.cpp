// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/dnnfusion_pass.h"

#include "engine/base/steps.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/measured_blocks.h"
#include "engine/ops/derive/infer.h"
#include "engine/pass/device_parameter.h"
#include "engine/pass/plan_parts.h"
#include "engine/profile/kernel_key.h"
#include "engine/rewrite/check/check.h"
#include "plugins/dnnfusion/parameters.h"
#include "plugins/dnnfusion/planning.h"
#include "plugins/dnnfusion/rewriting.h"
#include "plugins/dnnfusion/rules/all_rules.h"
#include "plugins/dnnfusion/rules/fired.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Returns what is known of blocks on the device; with a timer if more is to be measured. `graph`
/// and `opsets` must outlive it. Fails (Usage) if nothing can be measured on the device.
Result<DecisionTiming> timingOn(const Device &device, const Graph &graph, const Opsets &opsets,
                                const Context &context)
{
    GL_TRY_RESULT(measurements,
                  BlockMeasurements::of(context.profile.get(),
                                        profiledDevice(device, context.threads), graph, opsets));
    DecisionTiming timing{*std::move(measurements), nullptr};
    const double seconds = context.settings.real("measure");
    if (seconds <= 0)
        return timing;
    if (device.target.empty())
        return fail(Error::Kind::Usage,
                    "\"measure\" needs a device that plans can be run on, but " + device.name +
                        " is only described");
    GL_TRY_RESULT(timer, context.timers(device.target));
    timing.timer = *std::move(timer);
    timing.until = context.clock() + seconds;
    return timing;
}

} // namespace

std::string_view DnnFusionPass::help() const
{
    return "Rewrites the graph by algebraic and clean-up rules and fuses operators into blocks by "
           "their mapping types, as in DNNFusion: Accelerating Deep Neural Networks Execution with "
           "Advanced Operator Fusion (PLDI 2021), sections 4.2 to 4.4.";
}

std::span<const Parameter> DnnFusionPass::parameters() const
{
    return parameterTable();
}

std::span<const RuleFacts> DnnFusionPass::rules() const
{
    static const std::vector<RuleFacts> facts = [] {
        auto list = factsOf(allRules());
        const auto &fired = firedCounts();
        for (RuleFacts &rule : list)
            if (const auto count = fired.find(rule.name); count != fired.end())
                rule.fired = count->second;
        return list;
    }();
    return facts;
}

std::vector<std::string_view> DnnFusionPass::creates(const Settings &) const
{
    using namespace plan_parts;
    return {fusion, layouts, kernels};
}

bool DnnFusionPass::measures(const Settings &settings) const
{
    return mayTime(settings) && settings.real("measure") > 0;
}

Result<Plan> DnnFusionPass::run(Plan plan, const Context &context) const
{
    const Settings &settings = context.settings;
    const Opsets opsets = opsetsOf(*plan.model);
    GL_TRY(rewritePlan(plan, context, opsets));

    GL_TRY_CONST(chosen, deviceFor(plan, context));
    const Device &device = **chosen;
    GL_TRY_RESULT(timing, timingOn(device, plan.graph, opsets, context));
    const BlockLimits limits = limitsOf(settings);
    const auto facts = FusionFacts::of(plan.graph, opsets, limits, device,
                                       measuredBlocks(timing->measurements), nullptr, context.stop);
    if (!facts && isStopped(facts.error()))
        return plan; // rewritten so far
    if (!facts)
        return tl::unexpected(facts.error());
    const auto original =
        FusionFacts::of(plan.original, opsets, limits, device, {}, nullptr, context.stop);
    if (!original && isStopped(original.error()))
        return plan;
    if (!original)
        return tl::unexpected(original.error());

    const auto planned = [&](const FusionFacts &of, const BlockGraph &graph, const char *method,
                             const BlockMarks &known) {
        Steps steps(context.stop);
        FusionPlan fusion = planOf(of.merger(), graph, method, known, {}, &steps);
        fusion.statistics.before = layersOf((*original)->ecg());
        return std::make_shared<const FusionPlan>(std::move(fusion));
    };
    // A plan of the blocks takes milliseconds, but seconds for tens of thousands of blocks, so
    // limit the snapshots to a tenth of the time.
    constexpr double interval = 0.15, share = 0.1;
    double due = context.clock() + interval;
    const auto publish = [&](const BlockGraph &found, const BlockMarks &known) {
        const double begin = context.clock();
        if (begin < due)
            return;
        Plan snapshot = plan;
        snapshot.fusion = planned(**facts, found, "dnnfusion", known);
        context.publish(std::make_shared<const Plan>(std::move(snapshot)));
        const double end = context.clock();
        due = end + std::max(interval, (end - begin) * (1 - share) / share);
    };
    BlockMarks marks;
    const BlockGraph blocks = planBlocks(**facts, plan, opsets, marks, context, publish,
                                         timing->timer ? &*timing : nullptr);
    const bool isByTypes = Fusion(settings.integer("fusion")) == Fusion::MappingTypes;
    const auto before = std::exchange(
        plan.fusion, planned(**facts, blocks, isByTypes ? "dnnfusion" : "fixed patterns", marks));
    Steps layoutSteps(context.stop);
    const FixedLayouts fixed =
        before && plan.layouts ? keptLayouts(*before, *plan.layouts, *plan.fusion) : FixedLayouts();
    plan.layouts = std::make_shared<const LayoutPlan>(
        settings.toggle("layouts")
            ? chooseLayouts((*facts)->ecg(), *plan.fusion, device, fixed, &layoutSteps)
            : layoutsOf((*facts)->ecg(), *plan.fusion, device,
                        std::vector(plan.fusion->blocks.size(), Layout::ChannelsFirst), fixed));
    plan.baselineFusion =
        settings.toggle("baseline") && !context.stop.stop_requested()
            ? planned(**original,
                      fixedPatternBlocks((*original)->ecg(), BlockGraph((*original)->ecg().graph()),
                                         {}),
                      "fixed patterns", {})
            : nullptr;

    timing->measurements->noteUse(context.profile.get(), name(), *plan.model);
    PassRecord &record = plan.history.emplace_back();
    const FusionStatistics &statistics = plan.fusion->statistics;
    if (plan.rewrite)
        record.summary = {{"rewrites", std::int64_t(plan.rewrite->steps.size())},
                          {"flops_before", plan.rewrite->flopsBefore},
                          {"flops_after", plan.rewrite->flopsAfter}};
    record.summary.insert(record.summary.end(), {{"layers_before", statistics.before.layers},
                                                 {"layers_after", statistics.after.layers},
                                                 {"irs_bytes_before", statistics.before.irsBytes},
                                                 {"irs_bytes_after", statistics.after.irsBytes}});
    if (timing->timer)
        record.summary.push_back({"measured_blocks", std::int64_t(timing->measured)});
    if (plan.baselineFusion)
        record.summary.push_back({"baseline_layers", plan.baselineFusion->statistics.after.layers});
    return plan;
}

} // namespace graphloom::dnnfusion
