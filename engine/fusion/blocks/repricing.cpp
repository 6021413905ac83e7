// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/repricing.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"

namespace graphloom {

namespace {

/// Returns the layouts with their costs on the device.
LayoutPlan priced(const FusionFacts &facts, const FusionPlan &fusion, const LayoutPlan &layouts,
                  Steps &steps)
{
    FixedLayouts fixed;
    for (const LayoutPlan::Choice &choice : layouts.blocks)
        fixed.push_back(choice.layout);
    LayoutPlan priced =
        chooseLayouts(facts.ecg(), fusion, facts.merger().cost().device(), fixed, &steps);
    for (std::size_t b = 0; b < priced.blocks.size(); ++b)
        priced.blocks[b].locked = layouts.blocks[b].locked;
    return priced;
}

} // namespace

Result<Plan> pricedFor(Plan plan, std::shared_ptr<const Device> device, const std::stop_token &stop)
{
    plan.device = std::move(device);
    const Opsets opsets = opsetsOf(*plan.model);
    Steps steps(stop);
    const auto price = [&](std::shared_ptr<const FusionPlan> &fusion, const Graph &graph,
                           std::shared_ptr<const LayoutPlan> *layouts) -> Result<void> {
        if (!fusion)
            return {};
        GL_TRY_CONST(facts, FusionFacts::of(graph, opsets, fusion->limits, *plan.device, {},
                                            fusion->within, stop));
        auto priced = std::make_shared<FusionPlan>(*fusion);
        setCosts((*facts)->merger(), *priced);
        if (layouts && *layouts)
            *layouts = std::make_shared<const LayoutPlan>(
                graphloom::priced(**facts, *priced, **layouts, steps));
        fusion = std::move(priced);
        return {};
    };
    const KernelPlan *kernels = kernelsOf(plan);
    GL_TRY(price(plan.fusion, plan.graph, &plan.layouts));
    if (kernels) { // they belong to the same blocks
        auto moved = std::make_shared<KernelPlan>(*kernels);
        moved->fusion = plan.fusion;
        plan.kernels = std::move(moved);
    }
    GL_TRY(price(plan.baselineFusion, plan.original, nullptr));
    if (steps.stopped())
        return stoppedError();
    return plan;
}

} // namespace graphloom
