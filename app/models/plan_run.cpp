// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/plan_run.h"

#include "app/models/format.h"

#include <algorithm>
#include <cassert>

namespace graphloom {

PlanRunPointer planRunOf(PlanRun run)
{
    assert(run.outcome.after);
    run.blocks = kernelBlocksOf(*run.plan);
    run.blockOf.assign(run.plan->graph.nodeBound(), Partition::none);
    for (std::uint32_t block = 0; block < run.blocks.size(); ++block)
        for (const NodeId id : run.blocks[block])
            run.blockOf[id.index] = block;
    for (const Times &times : run.outcome.after->steps)
        run.stepMs += times.median;
    return std::make_shared<const PlanRun>(std::move(run));
}

double PlanRun::shareOf(std::size_t step) const
{
    return stepMs > 0 ? timesOf(step).median / stepMs : 0;
}

double PlanRun::flopsPerSecond(std::size_t step) const
{
    const double ms = timesOf(step).median;
    return ms > 0 && steps()[step].reason.empty() ? steps()[step].flops / ms * 1e3 : 0;
}

double PlanRun::bytesPerSecond(std::size_t step) const
{
    const double ms = timesOf(step).median;
    return ms > 0 && steps()[step].reason.empty() ? steps()[step].bytes / ms * 1e3 : 0;
}

Item PlanRun::itemOf(std::size_t step) const
{
    const auto &block = steps()[step].block;
    if (!block)
        return {};
    return plan->fusion ? Item::block(*block) : Item::of(blocks[*block].front());
}

QString PlanRun::operatorsOf(std::size_t step) const
{
    constexpr std::size_t longest = 4;
    const auto &block = steps()[step].block;
    if (!block)
        return {};
    const std::vector<NodeId> &nodes = blocks[*block];
    if (nodes.size() > longest)
        return operatorSummary(plan->graph, nodes);
    QStringList operators;
    for (const NodeId id : nodes)
        operators << fromUtf8(plan->graph.node(id).op);
    return operators.join(QStringLiteral(" + "));
}

const SourceFile *PlanRun::sourceOf(std::size_t step) const
{
    const PlanStep &of = steps()[step];
    if (of.symbol.empty())
        return nullptr;
    const auto file = std::ranges::find_if(sources, [&](const SourceFile &source) {
        return source.block == of.block && source.content.find(of.symbol) != std::string::npos;
    });
    return file == sources.end() ? nullptr : &*file;
}

bool PlanRun::isOf(const Plan &other) const
{
    return plan.get() == &other ||
           (plan->model == other.model && plan->fusion == other.fusion &&
            plan->kernels == other.kernels && plan->graph.nodeBound() == other.graph.nodeBound() &&
            plan->graph.hash() == other.graph.hash());
}

Heat::Heat(PlanRunPointer run) : m_run(std::move(run)), m_shares(m_run->blocks.size())
{
    for (std::size_t step = 0; step < m_run->steps().size(); ++step)
        if (const auto &block = m_run->steps()[step].block)
            m_shares[*block] += m_run->shareOf(step);
    for (const double share : m_shares)
        m_most = std::max(m_most, share);
}

std::optional<double> Heat::of(const Snapshot &snapshot, const Item &item) const
{
    if (snapshot.nested || !m_run->isOf(*snapshot.plan))
        return std::nullopt;
    const auto ofNode = [&](NodeId id) -> std::optional<double> {
        if (id.index >= m_run->blockOf.size() || m_run->blockOf[id.index] == Partition::none)
            return std::nullopt;
        return m_shares[m_run->blockOf[id.index]];
    };
    if (item.kind == Item::Kind::Node)
        return ofNode(item.node());
    if (item.kind == Item::Kind::Block)
        return m_shares[item.index];
    if (item.kind != Item::Kind::Subgraph)
        return std::nullopt;
    double share = 0;
    for (const NodeId id : snapshot.nodesOf(item))
        if (const auto of = ofNode(id); of && m_run->blocks[m_run->blockOf[id.index]].front() == id)
            share += *of;
    return share;
}

} // namespace graphloom
