// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/block_editing.h"

#include "engine/fusion/blocks/node_sets.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;

tl::unexpected<Error> refuse(std::string reason, std::string where = {},
                             std::span<const NodeId> cause = {})
{
    auto refusal = fail(Error::Kind::Usage, std::move(reason), std::move(where));
    for (const NodeId id : cause)
        if (id.valid())
            refusal.value().nodes.push_back(id.index);
    return refusal;
}

/// Tells whether all parts read one tensor from outside.
bool areSiblings(const Graph &graph, std::span<const std::vector<NodeId>> parts)
{
    std::vector<TensorId> shared = interfaceOf(graph, parts.front()).inputs;
    for (const std::vector<NodeId> &part : parts.subspan(1)) {
        const std::vector<TensorId> read = interfaceOf(graph, part).inputs;
        std::erase_if(shared, [&](TensorId id) { return !std::ranges::count(read, id); });
    }
    return !shared.empty();
}

} // namespace

struct BlockEditor::Draft {
    BlockGraph blocks;
    BlockMarks marks;
    std::vector<Block> nameOf; // by number in the plan
};

BlockEditor::Draft BlockEditor::draft() const
{
    std::vector<Block> names;
    Draft draft{BlockGraph(m_graph, m_plan.partition, names), {}, std::move(names)};
    for (std::size_t b = 0; b < m_plan.blocks.size(); ++b)
        if (m_plan.blocks[b].locked || !m_plan.blocks[b].pattern.empty())
            draft.marks[draft.nameOf[b]] = {m_plan.blocks[b].pattern, m_plan.blocks[b].locked};
    return draft;
}

Result<void> BlockEditor::checkUnlocked(std::uint32_t block) const
{
    if (m_plan.blocks[block].locked)
        return refuse("it is locked; unlock it first", "block " + std::to_string(block),
                      m_plan.partition.subgraphs[block].nodes);
    return {};
}

Result<FusionPlan> BlockEditor::finished(Draft draft, std::vector<Block> changed) const
{
    for (const Block block : changed) {
        const std::vector<NodeId> &nodes = draft.blocks.nodes(block);
        const std::string name = "the block of " + m_graph.node(nodes.front()).label();
        if (const auto parts = connectedParts(m_graph, nodes);
            parts.size() > 1 && !areSiblings(m_graph, parts))
            return refuse("the operators of a block must be connected or read the same tensor",
                          name, parts.back());
        if (draft.blocks.wouldCycle({&block, 1}))
            return refuse("the block and another block would depend on each other", name,
                          draft.blocks.cycleThrough({&block, 1}));
        if (nodes.size() == 1)
            continue;
        const BlockAnswer answer = m_merger.rules().check(nodes);
        if (answer.refusal) {
            const auto &edge = answer.refusal->edge;
            const std::string where = edge.producer.valid() && edge.consumer.valid()
                                          ? m_graph.node(edge.producer).label() + " to " +
                                                m_graph.node(edge.consumer).label()
                                          : "";
            return refuse(edge.reason, where, std::array{edge.producer, edge.consumer});
        }
    }
    FusionPlan plan = planOf(m_merger, draft.blocks, m_plan.partition.method, draft.marks);
    plan.statistics.before = m_plan.statistics.before;
    plan.tuning = m_plan.tuning;
    return plan;
}

Result<FusionPlan> BlockEditor::merge(std::span<const std::uint32_t> blocks) const
{
    if (blocks.size() < 2)
        return refuse("merging requires at least two blocks");
    for (const std::uint32_t block : blocks)
        GL_TRY(checkUnlocked(block));
    Draft edit = draft();
    const Block whole = edit.nameOf[blocks.front()];
    for (const std::uint32_t block : blocks.subspan(1)) {
        if (edit.nameOf[block] != whole && !edit.blocks.nodes(edit.nameOf[block]).empty())
            edit.blocks.merge(whole, edit.nameOf[block]);
        edit.marks.erase(edit.nameOf[block]);
    }
    edit.marks[whole] = {"", true};
    return finished(std::move(edit), {whole});
}

Result<FusionPlan> BlockEditor::split(std::span<const NodeId> nodes) const
{
    if (nodes.empty())
        return refuse("splitting off requires at least one operator");
    const std::uint32_t block = m_plan.blockOf(nodes.front());
    for (const NodeId id : nodes)
        if (m_plan.blockOf(id) != block)
            return refuse(m_graph.node(nodes.front()).label() + " and " + m_graph.node(id).label() +
                              " are in different blocks",
                          {}, {&id, 1});
    GL_TRY(checkUnlocked(block));
    std::vector<NodeId> rest;
    for (const NodeId id : m_plan.partition.subgraphs[block].nodes)
        if (!std::ranges::count(nodes, id))
            rest.push_back(id);
    if (rest.empty())
        return refuse("cannot split off all operators of the block",
                      "block " + std::to_string(block));
    Draft edit = draft();
    const Block own = edit.nameOf[block];
    const Block part = edit.blocks.split(nodes);
    edit.marks[part] = {"", true};
    edit.marks[own] = {"", true};
    std::vector<Block> changed = {part, own};
    auto parts = connectedParts(m_graph, rest);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        changed.push_back(edit.blocks.split(parts[i]));
        edit.marks[changed.back()] = {"", true};
    }
    return finished(std::move(edit), std::move(changed));
}

Result<FusionPlan> BlockEditor::move(NodeId node, std::uint32_t block) const
{
    const std::uint32_t from = m_plan.blockOf(node);
    if (from == block)
        return refuse(m_graph.node(node).label() + " is already in that block");
    for (const std::uint32_t one : {from, block})
        GL_TRY(checkUnlocked(one));
    Draft edit = draft();
    const Block target = edit.nameOf[block], source = edit.nameOf[from];
    std::vector<Block> changed = {target};
    edit.marks[target] = {"", true};
    edit.marks.erase(source);
    if (m_plan.partition.subgraphs[from].nodes.size() == 1) {
        edit.blocks.merge(target, source);
    } else {
        edit.blocks.move({&node, 1}, target);
        changed.push_back(source);
    }
    return finished(std::move(edit), std::move(changed));
}

FusionPlan BlockEditor::withLock(std::uint32_t block, bool locked) const
{
    FusionPlan plan = m_plan;
    plan.blocks[block].locked = locked;
    return plan;
}

} // namespace graphloom
