// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include "plugins/magis/graph/dependence.h"
#include "plugins/magis/graph/segment.h"

#include <algorithm>
#include <array>

namespace graphloom::magis {

namespace {

using DoneSteps = IndexedVector<StepIndex, bool>;

/// Orders the steps of one segment and marks them as done.
void solve(const StepGraph &memory, std::span<const StepIndex> steps, DoneSteps &done,
           const SchedulingOptions &options, SegmentCache *cache, std::vector<StepIndex> &order)
{
    if (options.stop.stop_requested()) { // keep the given order
        for (const StepIndex step : steps) {
            order.push_back(step);
            done[step] = true;
        }
        return;
    }
    const Segment segment(memory, steps, done);
    const std::uint64_t form = cache ? segment.form() ^ (options.states << 20) : 0;
    std::optional<std::vector<Segment::Place>> places = cache ? cache->find(form) : std::nullopt;
    if (!places) {
        places = segment.order(options.states);
        if (cache)
            cache->add(form, *places);
    }
    const IndexedSpan<Segment::Place, const StepIndex> stepAt(steps);
    for (const Segment::Place place : *places) {
        order.push_back(stepAt[place]);
        done[order.back()] = true;
    }
}

struct Peak {
    Position position; // the first one that reaches it
    std::int64_t bytes;
};
Peak peakIn(const StepGraph &memory, const StepOrder &order)
{
    MemoryWalk walk(memory);
    Peak peak{Position(0), 0};
    for (const Position position : order.indices()) {
        walk.run(order[position]);
        if (walk.peak() > peak.bytes)
            peak = {position, walk.peak()};
    }
    return peak;
}

/// Solves a segment that no narrow waist divides (nothing fixes when the weight gradients of a
/// training graph run) piece by piece, then in pieces across the borders.
void solveInWindows(const StepGraph &memory, std::span<const StepIndex> steps, DoneSteps &done,
                    const SchedulingOptions &options, SegmentCache *cache,
                    std::vector<StepIndex> &order)
{
    constexpr std::size_t window = 96;
    const DoneSteps doneBefore = done;
    std::vector<StepIndex> current(steps.begin(), steps.end());
    for (const std::size_t offset : {window, window / 2}) {
        done = doneBefore;
        std::vector<StepIndex> next;
        for (std::size_t at = 0; at < current.size();) {
            const std::size_t length = std::min(at == 0 ? offset : window, current.size() - at);
            solve(memory, std::span(current).subspan(at, length), done, options, cache, next);
            at += length;
        }
        current = std::move(next);
    }
    order.insert(order.end(), current.begin(), current.end());
}

} // namespace

std::optional<std::vector<Segment::Place>> SegmentCache::find(std::uint64_t form) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_orders.find(form);
    if (at == m_orders.end())
        return std::nullopt;
    ++m_hits;
    return at->second;
}

void SegmentCache::add(std::uint64_t form, std::vector<Segment::Place> order)
{
    const std::lock_guard lock(m_mutex);
    m_orders.try_emplace(form, std::move(order));
}

std::size_t SegmentCache::hits() const
{
    const std::lock_guard lock(m_mutex);
    return m_hits;
}

IndexedVector<StepIndex, int> narrowWaists(const StepGraph &memory)
{
    const Dependence dependence(memory, ownOrder(memory));
    return IndexedVector<StepIndex, int>(dependence.waists().elements());
}

std::vector<StepIndex> scheduledBehind(const StepGraph &memory, std::span<const StepIndex> steps,
                                       DoneSteps &done, const SchedulingOptions &options,
                                       SegmentCache *cache)
{
    std::vector<StepIndex> order;
    for (const std::vector<StepIndex> &part : partition(memory, steps))
        if (int(part.size()) <= Segment::longest)
            solve(memory, part, done, options, cache, order);
        else
            solveInWindows(memory, part, done, options, cache, order);
    return order;
}

void lowerPeaks(const StepGraph &memory, StepOrder &order, Positions changed,
                const SchedulingOptions &options, SegmentCache *cache)
{
    constexpr int mostRounds = 16;
    for (int round = 0; round < mostRounds; ++round) {
        const auto [position, highest] = peakIn(memory, order);
        const Position begin = std::max(Position(0), position - Segment::longest / 2);
        const Position end = std::min(order.nextIndex(), begin + Segment::longest);
        if (begin > changed.last || end <= changed.first)
            return;
        DoneSteps done(order.size(), false);
        MemoryWalk walk(memory);
        for (const Position p : IndexRange(Position(0), begin)) {
            done[order[p]] = true;
            walk.run(order[p]);
        }
        walk.forgetPeak();
        const std::span window(order.begin() + begin.number(), order.begin() + end.number());
        std::vector<StepIndex> found;
        solve(memory, window, done, options, cache, found);
        for (const StepIndex step : found)
            walk.run(step);
        if (walk.peak() >= highest)
            return;
        std::ranges::copy(found, window.begin());
        changed = {std::min(changed.first, begin), std::max(changed.last, end - 1)};
    }
}

StepOrder scheduled(const StepGraph &memory, const SchedulingOptions &options, SegmentCache *cache)
{
    StepOrder best = ownOrder(memory);
    if (best.empty())
        return best;
    std::int64_t peak = peakOf(memory, best);
    for (StepOrder &order : std::array{reversePostOrder(memory), leastGrowthOrder(memory)})
        if (const std::int64_t other = peakOf(memory, order); other < peak) {
            peak = other;
            best = std::move(order);
        }
    DoneSteps done(best.size(), false);
    StepOrder found(scheduledBehind(memory, best, done, options, cache));
    lowerPeaks(memory, found, {Position(0), found.lastIndex()}, options, cache);
    // A step parallel to a waist moves to the segment after it, which may raise the peak.
    return peakOf(memory, found) <= peak ? found : best;
}

} // namespace graphloom::magis
