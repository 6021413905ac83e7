// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/baselines.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

MemoryPoint pointOf(const State &state, std::string origin)
{
    return {state.outcome.seconds * 1e3, state.outcome.peak, std::move(origin)};
}

/// Returns the fission with the most nodes; invalid if there is none.
FissionIndex widestFission(const SearchSpace &space)
{
    FissionIndex widest;
    std::size_t most = 0;
    for (const FissionIndex f : space.fissions().indices())
        if (space.fissions().fission(f).nodes().size() > most) {
            most = space.fissions().fission(f).nodes().size();
            widest = f;
        }
    return widest;
}

void chooseBest(MemoryPlan::Baseline &baseline, const Limits &limits)
{
    for (const MemoryPoint &point : baseline.points) {
        const bool within = (limits.seconds <= 0 || point.ms <= limits.seconds * 1e3) &&
                            (limits.bytes <= 0 || point.peakBytes <= limits.bytes);
        const bool better = baseline.best.origin.empty() ||
                            (limits.bytes > 0 ? point.ms < baseline.best.ms
                                              : point.peakBytes < baseline.best.peakBytes);
        if (within && better)
            baseline.best = point;
    }
}

} // namespace

std::vector<MemoryPlan::Baseline> baselinesOf(const SearchSpace &space, const Limits &limits,
                                              const std::stop_token &stop)
{
    const Optimization optimization(space, {}, {}, 0); // without locks
    std::vector<MemoryPlan::Baseline> baselines;
    for (const char *name :
         {"unchanged order", "best order", "micro-batching", "uniform checkpoints"})
        baselines.push_back({name, {}, {}});
    for (const OrderIndex order : space.orders().indices())
        baselines[order == firstOrder ? 0 : 1].points.push_back(
            pointOf(*optimization.unoptimized(order), "order " + std::to_string(order.number())));
    baselines[1].points.push_back(baselines[0].points.front());
    Simulator simulator(space.memory(), space.evictions());
    if (const FissionIndex widest = widestFission(space); widest.isValid()) {
        const Policies keep = space.keepAll();
        for (const auto &[number, size] : space.fissions().cuttings(widest)) {
            if (number < 2)
                continue;
            if (stop.stop_requested())
                break;
            if (const auto arrangement = space.arrange(firstOrder, {{widest, number, size}}))
                if (const auto state = space.evaluate(simulator, firstOrder, arrangement, keep))
                    baselines[2].points.push_back(
                        pointOf(*state, std::to_string(number) + " parts" +
                                            (size > 0 ? " of " + std::to_string(size) : "")));
        }
    }
    for (const int interval : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
        if (stop.stop_requested())
            break;
        if (const auto state = optimization.checkpointed(firstOrder, {}, interval))
            baselines[3].points.push_back(
                pointOf(*state, "every " + std::to_string(interval) + "th tensor"));
    }
    for (MemoryPlan::Baseline &baseline : baselines)
        chooseBest(baseline, limits);
    return baselines;
}

std::vector<MemoryPlan::Baseline> baselinesOf(const std::vector<Variant> &variants,
                                              const Limits &limits, const std::stop_token &stop)
{
    std::vector<MemoryPlan::Baseline> baselines =
        baselinesOf(*variants.front().space, limits, stop);
    if (const std::size_t fast = fastest(variants); fast > 0)
        for (MemoryPlan::Baseline &baseline : baselinesOf(*variants[fast].space, limits, stop)) {
            baseline.rewritten = true;
            baselines.push_back(std::move(baseline));
        }
    return baselines;
}

} // namespace graphloom::magis
