// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/plan_run.h"

#include "app/common/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace graphloom {

namespace {

struct PlanRunText {
    Q_DECLARE_TR_FUNCTIONS(PlanRun)
};

/// Returns, by step, the time of the same kernel in the plan before; its loops may have changed.
/// Tuning may have joined blocks, so that their numbers are others: kernels are told apart by what
/// they compute. Those of one text are the same in both plans if there are equally many.
std::vector<std::optional<double>> beforeByStep(const TargetOutcome &outcome)
{
    const auto numbersOf = [](const std::vector<PlanStep> &steps) {
        std::map<std::string, std::vector<std::size_t>> numbers;
        for (std::size_t step = 0; step < steps.size(); ++step)
            numbers[steps[step].text].push_back(step);
        return numbers;
    };
    const auto earlier = numbersOf(outcome.stepsBefore);
    std::vector<std::optional<double>> before(outcome.steps.size());
    for (const auto &[text, now] : numbersOf(outcome.steps)) {
        const auto found = earlier.find(text);
        if (found == earlier.end() || found->second.size() != now.size())
            continue;
        for (std::size_t i = 0; i < now.size(); ++i)
            before[now[i]] = outcome.before->steps[found->second[i]].median;
    }
    return before;
}

} // namespace

PlanRunPointer planRunOf(PlanRun run)
{
    assert(run.outcome.after);
    run.elsewhere = !run.at.machine.empty() && run.at.machine != machineName();
    run.blocks = kernelBlocksOf(*run.plan);
    run.blockOf.assign(run.plan->graph.nodeBound(), Partition::none);
    for (std::uint32_t block = 0; block < run.blocks.size(); ++block)
        for (const NodeId id : run.blocks[block])
            run.blockOf[id.index] = block;
    for (const Times &times : run.outcome.after->steps)
        run.stepMs += times.median;
    if (run.outcome.before && !run.outcome.besideOriginal)
        run.beforeMs = beforeByStep(run.outcome);
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

std::optional<double> PlanRun::beforeOf(std::size_t step) const
{
    return step < beforeMs.size() ? beforeMs[step] : std::nullopt;
}

const NestKernel *PlanRun::tunedOf(std::size_t step) const
{
    const KernelPlan *kernels = kernelsOf(*plan);
    const PlanStep &of = steps()[step];
    if (!kernels || !of.block || !of.reason.empty() || *of.block >= kernels->blocks.size() ||
        of.nest >= kernels->blocks[*of.block].size())
        return nullptr;
    const NestKernel &nest = kernels->blocks[*of.block][of.nest];
    return nest.trials > 0 || nest.time || !nest.schedule.empty() ? &nest : nullptr;
}

bool PlanRun::tunedElsewhere() const
{
    const KernelPlan *kernels = kernelsOf(*plan);
    // Both names begin with the processor.
    const std::string cpu = at.machine.substr(0, at.machine.rfind(", "));
    return kernels && !kernels->device.empty() && !cpu.empty() &&
           !kernels->device.starts_with(cpu + ',');
}

Item PlanRun::itemOf(std::size_t step) const
{
    const auto &block = steps()[step].block;
    if (!block)
        return {};
    return plan->fusion ? Item::block(*block) : Item::of(blocks[*block].front());
}

std::uint32_t PlanRun::blockOfItem(const Item &item) const
{
    if (item.kind == Item::Kind::Block)
        return item.index;
    return item.kind == Item::Kind::Node && item.index < blockOf.size() ? blockOf[item.index]
                                                                        : Partition::none;
}

std::vector<int> PlanRun::longestSteps(const std::function<double(std::size_t)> &seconds) const
{
    std::vector<int> longest;
    for (std::size_t step = 0; step < steps().size(); ++step) {
        const auto &block = steps()[step].block;
        if (!block)
            continue;
        if (*block >= longest.size())
            longest.resize(*block + 1, -1);
        int &known = longest[*block];
        if (known < 0 || seconds(std::size_t(known)) < seconds(step))
            known = int(step);
    }
    return longest;
}

QString PlanRun::operatorsOf(std::size_t step) const
{
    const auto &block = steps()[step].block;
    return block ? blockOperators(plan->graph, blocks[*block]) : QString();
}

QString blockOperators(const Graph &graph, const std::vector<NodeId> &nodes)
{
    constexpr std::size_t longest = 4;
    if (nodes.size() > longest)
        return operatorSummary(graph, nodes);
    QStringList operators;
    for (const NodeId id : nodes)
        operators << fromUtf8(graph.node(id).op);
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
    return plan->fusion == other.fusion && plan->kernels == other.kernels &&
           isSameGraph(*plan, other);
}

QString PlanRun::deviceName() const
{
    return fromUtf8(nameOf(outcome));
}

QString PlanRun::provenance() const
{
    const QString name = fromUtf8(nameOf(outcome.provenance));
    return elsewhere ? name + QStringLiteral(", ") + fromUtf8(at.machine) : name;
}

QString PlanRun::origin() const
{
    return originText(at);
}

QString originText(const MeasuredAt &at)
{
    if (at.machine.empty() || at.ms <= 0)
        return {};
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(at.ms);
    return PlanRunText::tr("on %1, %2")
        .arg(fromUtf8(at.machine), QLocale().toString(time, QLocale::ShortFormat));
}

QString noticeOf(const PlanRun &run, bool stale)
{
    QString text;
    if (stale)
        text = PlanRunText::tr("<b>These times belong to another plan: run again.</b> ");
    if (run.elsewhere)
        text += PlanRunText::tr("<b>Measured on another machine, %1: run again to compare.</b> ")
                    .arg(fromUtf8(run.at.machine).toHtmlEscaped());
    return text;
}

QString speedupOf(const PlanRun &run)
{
    const auto &before = run.outcome.before;
    const Times &whole = run.outcome.after->whole;
    if (!before || whole.median <= 0)
        return {};
    const double ratio = before->whole.median / whole.median;
    const bool noise = std::abs(ratio - 1) <= std::max(whole.noise, before->whole.noise);
    return (run.outcome.besideOriginal
                ? PlanRunText::tr("<b>%1 × speedup over the unfused original</b>%2: %3 ms, now ")
                : PlanRunText::tr("<b>%1 × speedup from tuning</b>%2: %3 ms, now "))
        .arg(QString::number(ratio, 'f', 2),
             noise ? PlanRunText::tr(", within the noise") : QString(),
             formatReal(before->whole.median));
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
