// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lanes.h"

#include "app/common/format.h"
#include "app/run/target_run.h"
#include "app/tuning/trial_model.h"
#include "engine/ops/derive/infer.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

struct LanesText {
    Q_DECLARE_TR_FUNCTIONS(Lanes)
};

/// What a run is made from.
struct Traced {
    Lanes::Run::Kind kind;
    const Plan &plan;
    const std::vector<PlanStep> &steps;
    const std::vector<TraceSlice> &slices;
    const Measurement &measured;
};

/// Sets the classes of a step: those of the block, or of its node with the most work.
void classify(Lanes::Step &step, const Plan &plan, const std::vector<NodeId> &nodes,
              const GraphFacts &facts)
{
    const auto workOf = [&](NodeId id) {
        const NodeFacts &of = facts.of(id);
        const auto number = [](const Dim &dim) { return dim.constant().value_or(0); };
        return std::pair(number(of.macs), number(of.flops));
    };
    const NodeFacts &heaviest = facts.of(*std::ranges::max_element(nodes, {}, workOf));
    step.operatorClass = heaviest.operatorClass;
    step.mapping = plan.fusion && *step.block < plan.fusion->blocks.size()
                       ? plan.fusion->blocks[*step.block].mapping
                       : heaviest.mapping;
}

std::vector<Lanes::Step> stepsOf(const Traced &traced, const GraphFacts &facts)
{
    const auto blocks = kernelBlocksOf(traced.plan);
    std::vector<Lanes::Step> steps;
    for (std::size_t i = 0; i < traced.steps.size(); ++i) {
        const PlanStep &from = traced.steps[i];
        Lanes::Step step;
        step.computed = fromUtf8(from.text);
        step.reason = fromUtf8(from.reason);
        step.block = from.block;
        step.flops = from.flops;
        step.bytes = from.bytes;
        if (i < traced.measured.steps.size())
            step.usual = traced.measured.steps[i].median / 1e3;
        if (from.block && *from.block < blocks.size()) {
            const std::vector<NodeId> &nodes = blocks[*from.block];
            step.name = TrialModel::nameOf({*from.block, from.nest}) + ' ' +
                        blockOperators(traced.plan.graph, nodes);
            step.nodes = traced.kind == Lanes::Run::Kind::Original
                             ? originsOf(traced.plan.graph, nodes)
                             : nodes;
            classify(step, traced.plan, nodes, facts);
        } else {
            step.name = LanesText::tr("input");
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

/// Adds the lanes of a run, one for each thread, even for a thread that had nothing to do.
void addLanes(Lanes &lanes, Lanes::Run &run, const Traced &traced, unsigned threads)
{
    for (const TraceSlice &slice : traced.slices)
        threads = std::max(threads, slice.thread + 1);
    std::vector<std::vector<TraceSlice>> byThread(threads);
    for (const TraceSlice &slice : traced.slices)
        byThread[slice.thread].push_back(slice);
    run.firstLane = std::uint32_t(lanes.lanes.size());
    for (unsigned thread = 0; thread < threads; ++thread) {
        std::ranges::stable_sort(byThread[thread], {}, &TraceSlice::start);
        Lanes::Lane lane{std::uint32_t(lanes.runs.size()), thread,
                         std::uint32_t(lanes.slices.size())};
        double end = 0;
        for (const TraceSlice &from : byThread[thread]) {
            // A clock may be coarser than the time between two slices.
            const double start = std::max(from.start, end);
            const double seconds = std::max(0.0, from.start + from.seconds - start);
            lanes.slices.push_back(
                {std::uint32_t(lanes.lanes.size()), from.step, start, seconds, start - end});
            lane.busy += seconds;
            end = start + seconds;
        }
        lane.end = std::uint32_t(lanes.slices.size());
        run.seconds = std::max(run.seconds, end);
        lanes.lanes.push_back(lane);
    }
    run.endLane = std::uint32_t(lanes.lanes.size());
}

/// Sums up the times of a run whose slices, from `first` on, are there.
void sumUp(Lanes::Run &run, const std::vector<Lanes::Slice> &slices, std::uint32_t first)
{
    std::vector<std::uint32_t> byTime;
    std::vector<std::uint32_t> lastLane(run.steps.size(), Lanes::noSlice);
    for (std::uint32_t i = first; i < slices.size(); ++i) {
        byTime.push_back(i);
        const Lanes::Slice &slice = slices[i];
        Lanes::Step &step = run.steps[slice.step];
        step.busy += slice.seconds;
        step.threads += std::exchange(lastLane[slice.step], slice.lane) != slice.lane;
    }
    std::ranges::stable_sort(byTime, {}, [&](std::uint32_t i) { return slices[i].start; });
    double end = 0;
    std::vector<double> ends(run.steps.size());
    for (const std::uint32_t i : byTime) {
        const Lanes::Slice &slice = slices[i];
        Lanes::Step &step = run.steps[slice.step];
        (step.reason.isEmpty() ? run.kernels : run.interpreted) += slice.seconds;
        run.gaps += std::max(0.0, slice.start - end);
        end = std::max(end, slice.end());
        if (step.slice == Lanes::noSlice) {
            step.slice = i;
            step.start = slice.start;
        }
        double &last = ends[slice.step];
        last = std::max(last, slice.end());
        step.seconds = last - step.start;
    }
}

void add(Lanes &lanes, const Traced &traced, unsigned threads, const GraphFacts &facts)
{
    Lanes::Run run;
    run.kind = traced.kind;
    run.steps = stepsOf(traced, facts);
    run.usual = traced.measured.whole.median / 1e3;
    const auto first = std::uint32_t(lanes.slices.size());
    addLanes(lanes, run, traced, threads);
    sumUp(run, lanes.slices, first);
    lanes.seconds = std::max(lanes.seconds, run.seconds);
    lanes.runs.push_back(std::move(run));
}

} // namespace

LanesPointer lanesOf(const PlanRunPointer &run, std::stop_token stop)
{
    const TargetOutcome &outcome = run->outcome;
    if (outcome.trace.empty())
        return nullptr;
    auto lanes = std::make_shared<Lanes>();
    lanes->of = run;
    const auto addRun = [&](Lanes::Run::Kind kind, const Plan &plan, const auto &steps,
                            const auto &slices, const Measurement &measured) {
        const auto facts = graphFactsOf(plan.graph, opsetsOf(*plan.model), stop);
        if (facts)
            add(*lanes, {kind, plan, steps, slices, measured}, outcome.threads, *facts);
        return facts != nullptr;
    };
    using Kind = Lanes::Run::Kind;
    if (!outcome.traceBefore.empty() &&
        !addRun(outcome.besideOriginal ? Kind::Original : Kind::BeforeTuning,
                outcome.besideOriginal ? unfusedPlan(*run->plan) : *run->plan, outcome.stepsBefore,
                outcome.traceBefore, *outcome.before))
        return nullptr;
    if (!addRun(Kind::Plan, *run->plan, outcome.steps, outcome.trace, *outcome.after))
        return nullptr;
    compareSteps(*lanes);
    return lanes;
}

std::uint32_t Lanes::firstAfter(const Lane &lane, double time) const
{
    const auto begin = slices.begin();
    const auto found =
        std::partition_point(begin + lane.first, begin + lane.end,
                             [&](const Slice &slice) { return slice.end() <= time; });
    return std::uint32_t(found - begin);
}

std::uint32_t Lanes::nearest(const Lane &lane, double time) const
{
    const std::uint32_t next = std::min(firstAfter(lane, time), lane.end - 1);
    if (next == lane.first || slices[next].start <= time)
        return next;
    return time - slices[next - 1].end() < slices[next].start - time ? next - 1 : next;
}

QString nameOf(Lanes::Run::Kind kind)
{
    switch (kind) {
    case Lanes::Run::Kind::BeforeTuning:
        return LanesText::tr("Before tuning");
    case Lanes::Run::Kind::Original:
        return LanesText::tr("Original, one kernel per node");
    default:
        return LanesText::tr("Plan");
    }
}

QString summaryOf(const Lanes::Run &run)
{
    const QString threads = run.threads() == 1 ? LanesText::tr("one thread")
                                               : LanesText::tr("%1 threads").arg(run.threads());
    QString text =
        LanesText::tr("%1 on %2 · kernels %3")
            .arg(formatTime(run.seconds), threads, formatPercent(run.shareOf(run.kernels)));
    if (run.interpreted > 0)
        text += LanesText::tr(" · interpreted %1").arg(formatPercent(run.shareOf(run.interpreted)));
    return text + LanesText::tr(" · idle %1 · gaps between kernels %2")
                      .arg(formatPercent(run.idleShare()), formatTime(run.gaps));
}

} // namespace graphloom
