// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/plan_edits.h"

#include "app/fusion/group_edits.h"
#include "engine/editing/schedule_editing.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>

namespace graphloom {

namespace {

EditOutcome cannot(const char *reason)
{
    return fail(Error::Kind::Usage, reason);
}

void lookAtSchedule(const Snapshot &snapshot, const EditedGroups &blocks, PlanEdits &edits)
{
    const Plan &plan = *snapshot.plan;
    if (blocks.nodes.size() != 1 && (!plan.fusion || blocks.groups.size() != 1)) {
        edits.earlier = edits.later =
            cannot(plan.fusion ? "select a single block or node" : "select a single node");
        return;
    }
    const NodeId node = blocks.nodes.size() == 1
                            ? blocks.nodes.front()
                            : plan.fusion->partition.subgraphs[blocks.groups.front()].nodes.front();
    for (const Direction direction : {Direction::Earlier, Direction::Later}) {
        EditOutcome &outcome = direction == Direction::Earlier ? edits.earlier : edits.later;
        if (auto moved = withStepMoved(plan, node, direction); !moved)
            outcome = tl::unexpected(moved.error());
        else
            outcome = [moved = *std::move(moved)](const Plan &) { return moved; };
    }
}

void lookAtLayouts(const Snapshot &snapshot, const FusionFacts &facts, const EditedGroups &blocks,
                   PlanEdits &edits)
{
    const auto &layouts = snapshot.plan->layouts;
    const auto refuse = [&](const char *reason) {
        edits.layouts = {cannot(reason), cannot(reason)};
        edits.freeLayout = cannot(reason);
    };
    if (!layouts)
        return refuse("this plan has no layouts; run dnnfusion or ago to choose them");
    if (blocks.groups.empty())
        return refuse("select blocks, or nodes in blocks");
    const auto outcomeOf = [&](std::optional<Layout> layout) -> EditOutcome {
        GL_TRY_RESULT(chosen, withLayout(facts.ecg(), *snapshot.plan->fusion, *layouts,
                                         facts.merger().cost().device(), blocks.groups, layout));
        return [made = std::make_shared<const LayoutPlan>(*std::move(chosen))](Plan plan) {
            plan.layouts = made;
            return plan;
        };
    };
    const auto all = [&](auto predicate) {
        return std::ranges::all_of(
            blocks.groups, [&](std::uint32_t block) { return predicate(layouts->blocks[block]); });
    };
    for (const Layout layout : {Layout::ChannelsFirst, Layout::ChannelsLast})
        edits.layouts[std::size_t(layout)] =
            all([&](const auto &choice) { return choice.locked && choice.layout == layout; })
                ? cannot("this layout is already chosen")
                : outcomeOf(layout);
    edits.freeLayout = all([](const auto &choice) { return !choice.locked; })
                           ? cannot("the layout was not chosen manually")
                           : outcomeOf(std::nullopt);
}

} // namespace

Result<FusionFactsPointer> fusionFactsOf(const Snapshot &snapshot)
{
    const FusionPlan &plan = *snapshot.plan->fusion;
    GL_TRY_RESULT(facts,
                  FusionFacts::of(snapshot.graph(), opsetsOf(*snapshot.plan->model), plan.limits,
                                  *deviceOfFigures(*snapshot.plan, plan.device), {}, plan.within));
    return *std::move(facts);
}

PlanEdits planEditsFor(const Snapshot &snapshot, const FusionFactsPointer &facts, Grouping grouping,
                       const std::vector<Item> &items, std::stop_token stop)
{
    const auto isSelected = [&](Item::Kind kind) {
        return std::ranges::any_of(items, [&](const Item &item) { return item.kind == kind; });
    };
    PlanEdits edits;
    const bool subgraphs =
        snapshot.plan->partition &&
        (isSelected(Item::Kind::Subgraph) ||
         (!isSelected(Item::Kind::Block) && (grouping == Grouping::Subgraphs || !facts)));
    edits.grouping = subgraphs ? Grouping::Subgraphs : facts ? Grouping::Blocks : Grouping::None;
    if (edits.grouping != Grouping::None)
        edits.groups = groupEditsFor(
            snapshot, edits.grouping, editedGroups(snapshot, edits.grouping, items),
            subgraphs ? subgraphEditor(snapshot) : blockEditor(snapshot, facts), stop);
    if (stop.stop_requested())
        return edits;
    const EditedGroups blocks = editedGroups(snapshot, Grouping::Blocks, items);
    lookAtSchedule(snapshot, blocks, edits);
    if (facts && !stop.stop_requested())
        lookAtLayouts(snapshot, *facts, blocks, edits);
    return edits;
}

} // namespace graphloom
