// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/block_edits.h"

#include "engine/fusion/block_editing.h"
#include "engine/fusion/layouts.h"
#include "engine/ops/infer.h"

#include <set>

namespace graphloom {

namespace {

constexpr std::size_t mostMoves = 24; // a longer menu helps nobody

BlockEdits::Outcome outcomeOf(Result<FusionPlan> edited)
{
    if (!edited)
        return tl::unexpected(edited.error());
    return std::make_shared<const FusionPlan>(*std::move(edited));
}

/// The blocks that read what the node writes, or write what it reads.
std::set<std::uint32_t> neighboursOf(const Graph &graph, const FusionPlan &plan, NodeId node)
{
    std::set<std::uint32_t> blocks;
    forEachRead(graph.node(node), [&](TensorId tensor, std::uint32_t) {
        if (const NodeId producer = graph.producer(tensor); producer.valid())
            blocks.insert(plan.blockOf(producer));
    });
    for (const TensorId tensor : graph.node(node).outputs)
        if (tensor.valid())
            for (const Use &use : graph.uses(tensor))
                blocks.insert(plan.blockOf(use.node));
    blocks.erase(plan.blockOf(node));
    return blocks;
}

} // namespace

Result<FusionFactsPointer> fusionFactsOf(const Snapshot &snapshot)
{
    const FusionPlan &plan = *snapshot.plan->fusion;
    const Device *device = findDevice(plan.device);
    auto facts = FusionFacts::of(snapshot.graph(), opsetsOf(*snapshot.plan->model), plan.limits,
                                 device ? *device : devices().front(), {}, plan.within);
    if (!facts)
        return tl::unexpected(facts.error());
    return *std::move(facts);
}

BlockEdits blockEditsFor(const Snapshot &snapshot, const FusionFacts &facts,
                         const std::vector<Item> &items, std::stop_token stop)
{
    const auto refuse = [](const char *reason) { return fail(Error::Kind::Usage, reason); };
    const FusionPlan &plan = *snapshot.plan->fusion;
    const BlockEditor editor(facts.merger(), plan);

    std::set<std::uint32_t> blocks;
    std::vector<NodeId> nodes;
    bool nodesOnly = true;
    for (const Item &item : items) {
        if (!snapshot.contains(item))
            continue;
        if (item.kind == Item::Kind::Node) {
            nodes.push_back(item.node());
            blocks.insert(plan.blockOf(item.node()));
        } else {
            nodesOnly = false;
            if (item.kind == Item::Kind::Block)
                blocks.insert(item.index);
        }
    }
    BlockEdits edits;
    edits.blocks.assign(blocks.begin(), blocks.end());
    edits.locked = !blocks.empty() && std::ranges::all_of(blocks, [&](std::uint32_t block) {
        return plan.blocks[block].locked;
    });

    edits.merge = blocks.size() < 2 ? refuse("select two blocks or more, or nodes of them")
                                    : outcomeOf(editor.merge(edits.blocks));
    if (stop.stop_requested())
        return edits;
    if (nodes.empty() || !nodesOnly)
        edits.split = refuse("select the nodes that are to become a block of their own");
    else if (blocks.size() > 1)
        edits.split = refuse("the selected nodes are of several blocks");
    else if (nodes.size() == plan.partition.subgraphs[edits.blocks.front()].nodes.size())
        edits.split = refuse("they are a block of their own already");
    else
        edits.split = outcomeOf(editor.split(nodes));

    if (nodes.size() != 1 || items.size() != 1) {
        edits.move = refuse("select the one node that is to be moved");
        return edits;
    }
    for (const std::uint32_t block : neighboursOf(snapshot.graph(), plan, nodes.front())) {
        if (stop.stop_requested() || edits.moves.size() == mostMoves)
            break;
        edits.moves.push_back({Item::block(block), outcomeOf(editor.move(nodes.front(), block))});
    }
    const auto isAllowed = [](const BlockEdits::Move &move) { return move.outcome.has_value(); };
    if (edits.moves.empty())
        edits.move = refuse("no other block reads what the node writes, or writes what it reads");
    else if (std::ranges::none_of(edits.moves, isAllowed))
        edits.move = tl::unexpected(edits.moves.front().outcome.error());
    else
        edits.move = {};
    return edits;
}

Plan withBlocks(Plan plan, const FusionFacts &facts, std::shared_ptr<const FusionPlan> blocks)
{
    plan.fusion = std::move(blocks);
    if (plan.layouts) // it speaks of blocks by their numbers
        plan.layouts = std::make_shared<const LayoutPlan>(
            chooseLayouts(facts.ecg(), *plan.fusion, facts.merger().cost().device()));
    return plan;
}

Plan withLocks(Plan plan, const FusionFacts &facts, const std::vector<std::uint32_t> &blocks,
               bool locked)
{
    FusionPlan fusion = *plan.fusion;
    for (const std::uint32_t block : blocks)
        if (fusion.blocks[block].locked != locked)
            fusion = BlockEditor(facts.merger(), fusion).withLock(block, locked);
    plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
    return plan;
}

} // namespace graphloom
