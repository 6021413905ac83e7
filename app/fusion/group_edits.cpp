// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/group_edits.h"

#include "engine/editing/block_editing.h"
#include "engine/editing/partition_editing.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

constexpr std::size_t mostMoves = 24; // limits the length of the menu

tl::unexpected<Error> refuseEdit(const char *reason)
{
    return fail(Error::Kind::Usage, reason);
}

/// Returns the groups that read outputs of the node or write its inputs.
std::set<std::uint32_t> neighboursOf(const Snapshot &snapshot, Grouping grouping, NodeId node)
{
    const Graph &graph = snapshot.graph();
    std::set<std::uint32_t> groups;
    const auto add = [&](NodeId other) {
        if (const Item group = snapshot.groupOf(other, grouping))
            groups.insert(group.index);
    };
    for (const NodeId other : graph.predecessors(node))
        add(other);
    for (const NodeId other : graph.successors(node))
        add(other);
    groups.erase(snapshot.groupOf(node, grouping).index);
    return groups;
}

/// Fails (Usage) if a block would span two subgraphs.
Result<void> checkBlocksWithin(const Graph &graph, const FusionPlan &fusion,
                               const Partition &partition)
{
    for (std::size_t b = 0; b < fusion.blocks.size(); ++b) {
        const std::vector<NodeId> &nodes = fusion.partition.subgraphs[b].nodes;
        for (const NodeId id : nodes)
            if (partition.subgraphOf[id.index] != partition.subgraphOf[nodes.front().index]) {
                auto refusal = fail(Error::Kind::Usage,
                                    "it would span two subgraphs, which this plan does not "
                                    "allow; split the block first",
                                    "block " + std::to_string(b) + " (" +
                                        graph.node(nodes.front()).label() + ")");
                for (const NodeId one : nodes)
                    refusal.value().nodes.push_back(one.index);
                return refusal;
            }
    }
    return {};
}

} // namespace

EditedGroups editedGroups(const Snapshot &snapshot, Grouping grouping,
                          const std::vector<Item> &items)
{
    EditedGroups selected;
    std::set<std::uint32_t> groups;
    for (const Item &item : items) {
        if (!snapshot.contains(item))
            continue;
        if (item.kind == Item::Kind::Node) {
            selected.nodes.push_back(item.node());
            if (const Item group = snapshot.groupOf(item.node(), grouping))
                groups.insert(group.index);
        } else {
            selected.nodesOnly = false;
            if (item.isGroup() && groupingOf(item) == grouping)
                groups.insert(item.index);
        }
    }
    selected.groups.assign(groups.begin(), groups.end());
    selected.oneItem = items.size() == 1;
    return selected;
}

GroupEditor blockEditor(const Snapshot &snapshot, FusionFactsPointer facts)
{
    const auto plan = snapshot.plan->fusion;
    const auto outcomeOf = [facts](Result<FusionPlan> edited) -> EditOutcome {
        if (!edited)
            return tl::unexpected(edited.error());
        return [facts, blocks = std::make_shared<const FusionPlan>(*std::move(edited))](
                   Plan before) { return withBlocks(std::move(before), *facts, blocks); };
    };
    const auto editor = [facts, plan] { return BlockEditor(facts->merger(), *plan); };
    return {[=](const auto &blocks) { return outcomeOf(editor().merge(blocks)); },
            [=](const auto &nodes) { return outcomeOf(editor().split(nodes)); },
            [=](NodeId node, std::uint32_t block) { return outcomeOf(editor().move(node, block)); },
            [=](const auto &blocks, bool locked) -> EditOutcome {
                return [=](Plan before) {
                    FusionPlan fusion = *before.fusion;
                    for (const std::uint32_t block : blocks)
                        fusion = BlockEditor(facts->merger(), fusion).withLock(block, locked);
                    before.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
                    return before;
                };
            },
            [=](std::uint32_t block) { return plan->blocks[block].locked; }};
}

GroupEditor subgraphEditor(const Snapshot &snapshot)
{
    const auto plan = snapshot.plan;
    const auto outcomeOf = [plan](Result<Partition> edited) -> EditOutcome {
        if (!edited)
            return tl::unexpected(edited.error());
        if (plan->fusion && plan->fusion->within)
            GL_TRY(checkBlocksWithin(plan->graph, *plan->fusion, *edited));
        return [partition = std::make_shared<const Partition>(*std::move(edited))](Plan before) {
            return withPartition(std::move(before), partition);
        };
    };
    const auto opsets = std::make_shared<const Opsets>(opsetsOf(*plan->model));
    const auto editor = [plan, opsets] {
        return PartitionEditor(plan->graph, *opsets, *plan->partition);
    };
    return {[=](const auto &subgraphs) { return outcomeOf(editor().merge(subgraphs)); },
            [=](const auto &nodes) { return outcomeOf(editor().split(nodes)); },
            [=](NodeId node, std::uint32_t subgraph) {
                return outcomeOf(editor().move(node, subgraph));
            },
            [=](const auto &subgraphs, bool locked) -> EditOutcome {
                return [=](Plan before) {
                    auto partition = std::make_shared<Partition>(*before.partition);
                    for (const std::uint32_t subgraph : subgraphs)
                        partition->subgraphs[subgraph].locked = locked;
                    return withPartition(std::move(before), std::move(partition));
                };
            },
            [=](std::uint32_t subgraph) { return plan->partition->subgraphs[subgraph].locked; }};
}

GroupEdits groupEditsFor(const Snapshot &snapshot, Grouping grouping, const EditedGroups &selected,
                         const GroupEditor &editor, const std::stop_token &stop)
{
    const bool blocks = grouping == Grouping::Blocks;
    GroupEdits edits;
    edits.groups = selected.groups;
    edits.locked =
        !selected.groups.empty() && std::ranges::all_of(selected.groups, editor.isLocked);
    edits.lock = selected.groups.empty()
                     ? refuseEdit(blocks ? "select a block or one of its nodes"
                                         : "select a subgraph or one of its nodes")
                     : editor.lock(selected.groups, !edits.locked);
    edits.merge =
        selected.groups.size() < 2
            ? refuseEdit(blocks
                             ? "select at least two blocks, or nodes in at least two blocks"
                             : "select at least two subgraphs, or nodes in at least two subgraphs")
            : editor.merge(selected.groups);
    if (stop.stop_requested())
        return edits;
    if (selected.nodes.empty() || !selected.nodesOnly)
        edits.split = refuseEdit(blocks ? "select the nodes to split off into a new block"
                                        : "select the nodes to split off into a new subgraph");
    else if (selected.groups.size() > 1)
        edits.split = refuseEdit(blocks ? "the selected nodes belong to several blocks"
                                        : "the selected nodes belong to several subgraphs");
    else if (selected.nodes.size() ==
             snapshot.nodesOf(groupItem(grouping, selected.groups.front())).size())
        edits.split = refuseEdit(blocks ? "the selected nodes already form a block"
                                        : "the selected nodes already form a subgraph");
    else
        edits.split = editor.split(selected.nodes);

    if (selected.nodes.size() != 1 || !selected.oneItem) {
        edits.move = refuseEdit("select a single node");
        return edits;
    }
    for (const std::uint32_t group : neighboursOf(snapshot, grouping, selected.nodes.front())) {
        if (stop.stop_requested() || edits.moves.size() == mostMoves)
            break;
        edits.moves.push_back(
            {groupItem(grouping, group), editor.move(selected.nodes.front(), group)});
    }
    const auto isAllowed = [](const GroupEdits::Move &move) { return move.outcome.has_value(); };
    if (edits.moves.empty())
        edits.move = refuseEdit(blocks ? "the node has no neighbouring block"
                                       : "the node has no neighbouring subgraph");
    else if (std::ranges::none_of(edits.moves, isAllowed))
        edits.move = tl::unexpected(edits.moves.front().outcome.error());
    else
        edits.move = {};
    return edits;
}

Plan withBlocks(Plan plan, const FusionFacts &facts, std::shared_ptr<const FusionPlan> blocks)
{
    if (plan.layouts) // layouts refer to blocks by number
        plan.layouts = std::make_shared<const LayoutPlan>(
            chooseLayouts(facts.ecg(), *blocks, facts.merger().cost().device(),
                          keptLayouts(*plan.fusion, *plan.layouts, *blocks)));
    plan.fusion = std::move(blocks);
    return plan;
}

Plan withPartition(Plan plan, std::shared_ptr<const Partition> partition)
{
    if (plan.fusion && plan.fusion->within) {
        auto fusion = std::make_shared<FusionPlan>(*plan.fusion);
        fusion->within = partition;
        if (const KernelPlan *kernels = kernelsOf(plan)) { // still for the same blocks
            auto kept = std::make_shared<KernelPlan>(*kernels);
            kept->fusion = fusion;
            plan.kernels = std::move(kept);
        }
        plan.fusion = std::move(fusion);
    }
    plan.partition = std::move(partition);
    return plan;
}

} // namespace graphloom
