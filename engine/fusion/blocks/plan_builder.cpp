// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/plan_builder.h"

#include "engine/fusion/facts/index_change.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;

void addResult(const Ecg &ecg, TensorId tensor, FusionStatistics::Side &side)
{
    if (ecg.graph().isOutput(tensor))
        return;
    if (const auto bytes = ecg.bytes(tensor))
        side.irsBytes += *bytes;
    else
        ++side.unsized;
}

bool isComputeIntensive(const Ecg &ecg, const std::vector<NodeId> &nodes)
{
    return std::ranges::any_of(nodes, [&](NodeId id) { return ecg.node(id).computeIntensive; });
}

/// Returns the costs of a block and of its operators one by one, to be compared.
std::vector<BlockSeconds> costsOf(const BlockMerger &merger, const std::vector<NodeId> &nodes,
                                  const BlockAnswer &answer)
{
    std::vector<BlockAnswer> answers;
    for (const NodeId &id : nodes)
        answers.push_back(merger.rules().check({&id, 1}));
    std::vector<CostedBlock> blocks = {{nodes, answer}};
    for (std::size_t n = 0; n < nodes.size(); ++n)
        blocks.push_back({{&nodes[n], 1}, answers[n]});
    return merger.cost().comparable(blocks);
}

/// Returns the time of the operators one by one.
double apartMs(const BlockMerger &merger, const std::vector<NodeId> &nodes)
{
    double seconds = 0;
    for (const NodeId &id : nodes)
        seconds += merger.cost().of({&id, 1}, merger.rules().check({&id, 1})).seconds;
    return seconds * 1e3;
}

class PlanBuilder {
public:
    PlanBuilder(const BlockMerger &merger, const BlockGraph &graph, const BlockMarks &marks,
                const KeptApart &apart, Steps *steps)
        : m_merger(merger), m_graph(graph), m_marks(marks), m_apart(apart), m_steps(steps)
    {
    }

    FusionPlan run(std::string method)
    {
        FusionPlan plan;
        plan.partition = m_graph.partition(std::move(method));
        for (Subgraph &part : plan.partition.subgraphs) {
            for (const NodeId id : part.nodes)
                part.weight += m_merger.rules().ecg().node(id).flops;
            plan.blocks.push_back(describe(part.nodes, plan.costMs));
            plan.unfusedMs += apartMs(m_merger, part.nodes);
        }
        plan.statistics.after = layersOf(m_merger.rules().ecg(), plan.partition);
        plan.limits = m_merger.rules().limits();
        plan.within = m_merger.rules().within();
        plan.device = m_merger.cost().device().name;
        return plan;
    }

private:
    FusionBlock describe(const std::vector<NodeId> &nodes, double &costMs) const;
    std::vector<BlockBorder> bordersOf(Block block) const;
    BlockBorder borderBetween(Block a, Block b, const BlockMark *mark) const;
    const BlockMark *markOf(Block block) const
    {
        const auto found = m_marks.find(block);
        return found != m_marks.end() ? &found->second : nullptr;
    }

    const BlockMerger &m_merger;
    const BlockGraph &m_graph;
    const BlockMarks &m_marks;
    const KeptApart &m_apart;
    Steps *m_steps;
};

FusionBlock PlanBuilder::describe(const std::vector<NodeId> &nodes, double &costMs) const
{
    const Ecg &ecg = m_merger.rules().ecg();
    const Block name = m_graph.blockOf(nodes.front());
    FusionBlock block;
    const BlockAnswer answer = m_merger.rules().check(nodes);
    const BlockSeconds cost = m_merger.cost().of(nodes, answer);
    costMs += cost.seconds * 1e3;
    block.mapping = answer.mapping;
    if (const BlockMark *mark = markOf(name)) {
        block.pattern = mark->pattern;
        block.locked = mark->locked;
    }
    BlockInterface crossing = interfaceOf(ecg.graph(), nodes);
    for (const NodeId id : nodes)
        for (const TensorId tensor : ecg.graph().node(id).outputs)
            if (tensor.valid() && !std::ranges::count(crossing.outputs, tensor))
                block.removedBytes += ecg.bytes(tensor).value_or(0);
    block.indexChanges = indexChangesOf(ecg, nodes);
    block.placed = placeableOperands(ecg, nodes);
    block.inputs = std::move(crossing.inputs);
    block.outputs = std::move(crossing.outputs);
    if (!answer.undecided.empty()) {
        const std::string figures =
            comparisonOf(costsOf(m_merger, nodes, answer), m_merger.cost().device());
        for (const auto &edge : answer.undecided)
            block.decisions.push_back({edge.producer, edge.consumer, edge.reason + ": " + figures});
    }
    block.borders = bordersOf(name);
    return block;
}

BlockBorder PlanBuilder::borderBetween(Block a, Block b, const BlockMark *mark) const
{
    BlockBorder border;
    if (m_steps && m_steps->stopped()) {
        border = {{}, {}, BlockBorder::Cause::Taken, "stopped before the two were checked"};
        return border;
    }
    const MergeAnswer answer = m_merger.profit(m_graph, a, b, m_steps);
    if (answer.refusal) {
        border = {answer.refusal->edge.producer, answer.refusal->edge.consumer,
                  answer.refusal->cause, answer.refusal->edge.reason};
        return border;
    }
    auto apart = m_apart.find({a, b});
    if (apart == m_apart.end())
        apart = m_apart.find({b, a});
    if (mark && mark->locked)
        border = {{}, {}, BlockBorder::Cause::Lock, "the neighbour is locked"};
    else if (mark && !mark->pattern.empty())
        border = {{}, {}, BlockBorder::Cause::Taken, "the neighbour is a " + mark->pattern};
    else if (apart != m_apart.end())
        border = {{}, {}, apart->second.cause, apart->second.reason};
    else
        border = {{},
                  {},
                  BlockBorder::Cause::Taken,
                  "both could be one block, but were fused with others first"};
    return border;
}

std::vector<BlockBorder> PlanBuilder::bordersOf(Block block) const
{
    std::vector<BlockBorder> borders;
    const auto before = m_graph.predecessors(block), after = m_graph.successors(block);
    for (const auto *list : {&before, &after})
        for (const Block other : *list) {
            BlockBorder border = borderBetween(block, other, markOf(other));
            // Name the border after an edge that crosses it.
            const bool reads = list == &before;
            for (const NodeId id : m_graph.nodes(reads ? other : block))
                for (const NodeId next : m_graph.graph().successors(id))
                    if (m_graph.blockOf(next) == (reads ? block : other)) {
                        border.producer = id;
                        border.consumer = next;
                    }
            borders.push_back(std::move(border));
        }
    return borders;
}

} // namespace

FusionStatistics::Side layersOf(const Ecg &ecg)
{
    FusionStatistics::Side side;
    for (const NodeId id : ecg.graph().order()) {
        ++side.layers;
        side.computeIntensive += ecg.node(id).computeIntensive;
        for (const TensorId tensor : ecg.graph().node(id).outputs)
            if (tensor.valid())
                addResult(ecg, tensor, side);
    }
    return side;
}

FusionStatistics::Side layersOf(const Ecg &ecg, const Partition &blocks)
{
    FusionStatistics::Side side;
    // A result that is written to its place in another one takes no memory of its own.
    std::unordered_set<TensorId> placed;
    for (const Subgraph &block : blocks.subgraphs)
        for (const TensorId tensor : placeableOperands(ecg, block.nodes))
            placed.insert(tensor);
    for (const Subgraph &block : blocks.subgraphs) {
        ++side.layers;
        side.computeIntensive += isComputeIntensive(ecg, block.nodes);
        for (const TensorId tensor : interfaceOf(ecg.graph(), block.nodes).outputs)
            if (!placed.contains(tensor))
                addResult(ecg, tensor, side);
    }
    return side;
}

FusionPlan planOf(const BlockMerger &merger, const BlockGraph &graph, std::string method,
                  const BlockMarks &marks, const KeptApart &apart, Steps *steps)
{
    return PlanBuilder(merger, graph, marks, apart, steps).run(std::move(method));
}

void setCosts(const BlockMerger &merger, FusionPlan &plan)
{
    plan.costMs = plan.unfusedMs = 0;
    for (const Subgraph &part : plan.partition.subgraphs) {
        const BlockAnswer answer = merger.rules().check(part.nodes);
        plan.costMs += merger.cost().of(part.nodes, answer).seconds * 1e3;
        plan.unfusedMs += apartMs(merger, part.nodes);
    }
    plan.device = merger.cost().device().name;
}

BlockGraph keptBlocksOf(const Graph &graph, const FusionPlan &plan, KeptBlocks kept,
                        BlockMarks &marks)
{
    BlockGraph blocks(graph);
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
        const bool isLocked = plan.blocks[b].locked;
        if (!isLocked && kept == KeptBlocks::Locked)
            continue;
        std::vector<Block> members;
        for (const NodeId id : plan.partition.subgraphs[b].nodes)
            if (graph.contains(id))
                members.push_back(blocks.blockOf(id));
        if (members.empty())
            continue;
        std::ranges::sort(members);
        if (!blocks.wouldCycle(members))
            for (std::size_t i = 1; i < members.size(); ++i)
                blocks.merge(members[0], members[i]);
        for (const Block member : members)
            if (isLocked && !blocks.nodes(member).empty())
                marks[member] = {"", true};
    }
    return blocks;
}

} // namespace graphloom
