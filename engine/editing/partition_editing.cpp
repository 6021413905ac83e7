// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/partition_editing.h"
#include "engine/ops/describe/operator_table.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace graphloom {

namespace {

using Name = BlockGraph::Block;

tl::unexpected<Error> refusePartition(std::string reason, std::string where,
                                      std::span<const NodeId> cause)
{
    auto refusal = fail(Error::Kind::Usage, std::move(reason), std::move(where));
    for (const NodeId id : cause)
        refusal.value().nodes.push_back(id.index);
    return refusal;
}

std::string nameOfSubgraph(std::uint32_t subgraph)
{
    return "subgraph " + std::to_string(subgraph);
}

} // namespace

struct PartitionEditor::Draft {
    std::vector<Name> nameOf; // by number in the partition
    BlockGraph subgraphs;
};

PartitionEditor::Draft PartitionEditor::draft() const
{
    std::vector<Name> names;
    BlockGraph subgraphs(m_graph, m_partition, names);
    return {std::move(names), std::move(subgraphs)};
}

Result<void> PartitionEditor::checkUnlocked(std::uint32_t subgraph) const
{
    const Subgraph &one = m_partition.subgraphs[subgraph];
    if (one.locked)
        return refusePartition("it is locked; unlock it first", nameOfSubgraph(subgraph),
                               one.nodes);
    return {};
}

/// Returns the sum over the nodes; if their weights are unknown, they must be whole subgraphs.
Result<double> PartitionEditor::weightOf(std::span<const NodeId> nodes) const
{
    double weight = 0;
    if (!m_partition.nodeWeights.empty()) {
        for (const NodeId id : nodes)
            weight += m_partition.nodeWeights[id.index];
        return weight;
    }
    std::vector<std::size_t> seen(m_partition.subgraphs.size(), 0);
    for (const NodeId id : nodes)
        ++seen[m_partition.subgraphOf[id.index]];
    for (std::size_t s = 0; s < seen.size(); ++s) {
        if (seen[s] == 0)
            continue;
        if (seen[s] != m_partition.subgraphs[s].nodes.size())
            return fail(Error::Kind::Usage,
                        "the weights of single operators are unknown; partition the graph again");
        weight += m_partition.subgraphs[s].weight;
    }
    return weight;
}

Result<Partition> PartitionEditor::finished(Draft draft, std::span<const Name> changed) const
{
    const BlockGraph &subgraphs = draft.subgraphs;
    for (const Name name : changed) {
        const std::vector<NodeId> &nodes = subgraphs.nodes(name);
        const std::string what = "the subgraph of " + m_graph.node(nodes.front()).label();
        if (const auto cycle = subgraphs.cycleThrough({&name, 1}); !cycle.empty())
            return refusePartition("it and another subgraph would depend on each other", what,
                                   cycle);
        if (nodes.size() == 1)
            continue;
        for (const NodeId id : nodes)
            if (const Node &node = m_graph.node(id);
                !findOperator(node.domain, node.op, m_opsets(node.domain)))
                return refusePartition("unknown operator; it must be in a subgraph of its own",
                                       node.label(), {&id, 1});
        GL_TRY_CONST(weight, weightOf(nodes));
        if (m_partition.threshold > 0 && !(*weight < m_partition.threshold)) {
            std::ostringstream reason;
            reason << "its weight would be " << *weight << ", but must be less than "
                   << m_partition.threshold << " (the threshold Td of AGO)";
            return refusePartition(reason.str(), what, nodes);
        }
    }
    Partition partition = subgraphs.partition(m_partition.method);
    partition.threshold = m_partition.threshold;
    partition.nodeWeights = m_partition.nodeWeights;
    for (Subgraph &subgraph : partition.subgraphs) {
        const Name name = subgraphs.blockOf(subgraph.nodes.front());
        if (std::ranges::count(changed, name)) {
            GL_TRY_CONST(weight, weightOf(subgraph.nodes));
            subgraph.weight = *weight;
            subgraph.locked = true;
        } else {
            const Subgraph &before =
                m_partition.subgraphs[m_partition.subgraphOf[subgraph.nodes.front().index]];
            subgraph.weight = before.weight;
            subgraph.locked = before.locked;
        }
    }
    return partition;
}

Result<Partition> PartitionEditor::merge(std::span<const std::uint32_t> subgraphs) const
{
    if (subgraphs.size() < 2)
        return refusePartition("merging requires at least two subgraphs", {}, {});
    for (const std::uint32_t subgraph : subgraphs)
        GL_TRY(checkUnlocked(subgraph));
    Draft edit = draft();
    const Name whole = edit.nameOf[subgraphs.front()];
    for (const std::uint32_t subgraph : subgraphs.subspan(1))
        if (edit.nameOf[subgraph] != whole)
            edit.subgraphs.merge(whole, edit.nameOf[subgraph]);
    return finished(std::move(edit), {&whole, 1});
}

Result<Partition> PartitionEditor::split(std::span<const NodeId> nodes) const
{
    if (nodes.empty())
        return refusePartition("splitting off requires at least one operator", {}, {});
    const std::uint32_t from = m_partition.subgraphOf[nodes.front().index];
    for (const NodeId id : nodes)
        if (m_partition.subgraphOf[id.index] != from)
            return refusePartition(m_graph.node(nodes.front()).label() + " and " +
                                       m_graph.node(id).label() + " are in different subgraphs",
                                   {}, {&id, 1});
    GL_TRY(checkUnlocked(from));
    if (nodes.size() == m_partition.subgraphs[from].nodes.size())
        return refusePartition("cannot split off all of its operators", nameOfSubgraph(from), {});
    Draft edit = draft();
    const Name part = edit.subgraphs.split(nodes);
    const std::array changed{part, edit.nameOf[from]};
    return finished(std::move(edit), changed);
}

Result<Partition> PartitionEditor::move(NodeId node, std::uint32_t subgraph) const
{
    const std::uint32_t from = m_partition.subgraphOf[node.index];
    if (from == subgraph)
        return refusePartition(m_graph.node(node).label() + " is already in that subgraph", {}, {});
    for (const std::uint32_t one : {from, subgraph})
        GL_TRY(checkUnlocked(one));
    Draft edit = draft();
    const Name source = edit.nameOf[from], target = edit.nameOf[subgraph];
    if (m_partition.subgraphs[from].nodes.size() == 1) {
        edit.subgraphs.merge(target, source);
        return finished(std::move(edit), {&target, 1});
    }
    edit.subgraphs.move({&node, 1}, target);
    const std::array changed{target, source};
    return finished(std::move(edit), changed);
}

Partition PartitionEditor::withLock(std::uint32_t subgraph, bool locked) const
{
    Partition partition = m_partition;
    partition.subgraphs[subgraph].locked = locked;
    return partition;
}

} // namespace graphloom
