// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/measuring.h"

#include <algorithm>
#include <array>
#include <set>

namespace graphloom::magis {

namespace {

constexpr double keptShare = 0.25; // of the budget, for the chosen state
/// Numbers of parts, those that tell most about the others first.
constexpr std::array<int, 4> likelyNumbers = {4, 16, 2, 8};

/// Visits the parts in which a state computes each step, with the seconds of all parts alike.
template <class Visit> void forEachPart(const SearchSpace &space, const State &state, Visit visit)
{
    const MemoryGraph &memory = space.memory();
    const Arrangement &arrangement = *state.arrangement;
    for (const Position p : arrangement.order().indices()) {
        const NodeId node = memory.steps()[arrangement.order()[p]].node;
        for (const StepParts &part : arrangement.partsAt(space.fissions(), p))
            visit(node, part.cuts, part.count * memory.seconds(node, part.cuts));
    }
}

} // namespace

Measuring::Measuring(std::shared_ptr<CallTimer> timer, MeasuringOptions options)
    : m_timer(std::move(timer)), m_options(std::move(options))
{
}

double Measuring::left(double kept) const
{
    return std::max(0.0, (1 - kept) * m_options.seconds - m_spent);
}

TimingLimits Measuring::limits(double seconds, std::string_view what) const
{
    TimingLimits limits;
    limits.seconds = seconds;
    limits.stop = m_options.stop;
    limits.progress = [this, what](double fraction, std::string_view) {
        m_options.progress(fraction, what);
    };
    return limits;
}

Result<std::shared_ptr<CallTimes>> Measuring::calls(const MemoryGraph &memory, const Opsets &opsets)
{
    std::vector<NodeId> nodes;
    for (const Step &step : memory.steps())
        nodes.push_back(step.node);
    GL_TRY_RESULT(times, CallTimes::of(memory.graph(), nodes, opsets, memory.device()));
    const double start = m_options.clock();
    times->timeCalls(*m_timer, limits(left(keptShare), "measuring calls"));
    m_spent += m_options.clock() - start;
    return std::make_shared<CallTimes>(*std::move(times));
}

void Measuring::likelyParts(const SearchSpace &space, CallTimes &times, std::size_t graphs)
{
    const MemoryGraph &memory = space.memory();
    struct Cut {
        double seconds; // of the whole call
        NodeId node;
        int split;
    };
    std::vector<Cut> cuts;
    std::set<std::pair<CallKind, int>> known; // by kind and split
    for (const FissionIndex f : space.fissions().indices()) {
        const Fission &fission = space.fissions().fission(f);
        for (const NodeId node : fission.nodes()) {
            const int split = fission.dimension().splitOf[node.index];
            if (memory.stepOf(node).isValid() && known.insert({times.kindOf(node), split}).second)
                cuts.push_back({times.seconds(node), node, split});
        }
    }
    std::ranges::stable_sort(cuts, std::ranges::greater{}, &Cut::seconds);
    std::vector<PartOfCall> parts;
    for (const int number : likelyNumbers)
        for (const Cut &cut : cuts) {
            const std::int64_t extent =
                memory.workOf(cut.node).splits()[std::size_t(cut.split)].extent;
            if (extent < number)
                continue;
            // Use the largest part if the number does not divide the extent.
            const double steps = double((extent + number - 1) / number);
            parts.push_back({cut.node, {{cut.split, steps / double(extent)}}});
        }
    const double start = m_options.clock();
    times.timeParts(*m_timer, parts,
                    limits(left(keptShare) / double(std::max<std::size_t>(1, graphs)),
                           "measuring parts of calls"));
    m_spent += m_options.clock() - start;
}

void Measuring::partsOf(const SearchSpace &space, CallTimes &times, const State &state)
{
    std::vector<std::pair<double, PartOfCall>> parts;
    forEachPart(space, state, [&](NodeId node, const auto &cuts, double seconds) {
        if (times.sourceOf(node, cuts) == CallTimes::Source::Scaled)
            parts.push_back({seconds, {node, cuts}});
    });
    std::ranges::stable_sort(parts, std::ranges::greater{}, &std::pair<double, PartOfCall>::first);
    std::vector<PartOfCall> asked;
    for (auto &[seconds, part] : parts)
        asked.push_back(std::move(part));
    const double start = m_options.clock();
    times.timeParts(*m_timer, asked, limits(left(0), "measuring the plan's parts"));
    m_spent += m_options.clock() - start;
}

std::optional<State> repriced(const SearchSpace &space, const State &state)
{
    // Bypass the space, which caches arrangements with their prices.
    const auto arrangement =
        Arrangement::of(space.fissions(), space.order(state.order),
                        state.arrangement->fissions().elements(), space.evictions());
    if (!arrangement)
        return std::nullopt;
    Simulator simulator(space.memory(), space.evictions());
    return space.evaluate(simulator, state.order, arrangement, state.policies);
}

double measuredShare(const SearchSpace &space, const CallTimes *times, const State &state)
{
    double measured = 0, all = 0;
    forEachPart(space, state, [&](NodeId node, const auto &cuts, double seconds) {
        all += seconds;
        if (times && times->sourceOf(node, cuts) == CallTimes::Source::Measured)
            measured += seconds;
    });
    return all > 0 ? measured / all : 0;
}

MemoryPlan::Times timesOf(const SearchSpace &space, const CallTimes *times, const State &state)
{
    MemoryPlan::Times result;
    if (!times) {
        result.modelled = std::size_t(space.memory().kinds());
        return result;
    }
    result.measured = times->measuredCalls();
    for (const CallTimes::Problem &problem : times->problems())
        result.problems.push_back(
            {space.memory().graph().node(problem.node).label(), problem.reason});
    result.modelled = result.problems.size();
    std::set<std::pair<CallKind, std::vector<std::pair<int, double>>>> known;
    forEachPart(space, state, [&](NodeId node, const auto &cuts, double) {
        std::vector<std::pair<int, double>> key;
        for (const CallWork::Cut &cut : cuts)
            key.emplace_back(cut.split, cut.share);
        if (cuts.empty() || !known.insert({times->kindOf(node), key}).second)
            return;
        const auto source = times->sourceOf(node, cuts);
        result.partsMeasured += source == CallTimes::Source::Measured;
        result.partsScaled += source == CallTimes::Source::Scaled;
        result.partsModelled += source == CallTimes::Source::Modelled;
        if (source == CallTimes::Source::Scaled)
            result.problems.push_back({"a part of " + space.memory().graph().node(node).label(),
                                       times->problemOf(node, cuts)});
    });
    result.share = measuredShare(space, times, state);
    return result;
}

} // namespace graphloom::magis
