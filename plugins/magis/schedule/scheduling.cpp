// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include "plugins/magis/graph/dependence.h"
#include "plugins/magis/graph/segment.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace graphloom::magis {

namespace {

std::vector<int> ownOrder(const StepGraph &memory)
{
    std::vector<int> steps(memory.steps().size());
    std::iota(steps.begin(), steps.end(), 0);
    return steps;
}

/// Orders the steps of one segment and counts them as done.
void solve(const StepGraph &memory, std::span<const int> steps, std::vector<bool> &done,
           const SchedulingOptions &options, SegmentCache *cache, std::vector<int> &order)
{
    if (options.stop.stop_requested()) { // what is left stays as it is
        for (const int step : steps) {
            order.push_back(step);
            done[std::size_t(step)] = true;
        }
        return;
    }
    const Segment segment(memory, steps, done);
    const std::uint64_t form = cache ? segment.form() ^ (options.states << 20) : 0;
    std::optional<std::vector<int>> places = cache ? cache->find(form) : std::nullopt;
    if (!places) {
        places = segment.order(options.states);
        if (cache)
            cache->add(form, *places);
    }
    for (const int place : *places) {
        order.push_back(steps[std::size_t(place)]);
        done[std::size_t(order.back())] = true;
    }
}

struct Peak {
    int place; // the first in the order
    std::int64_t bytes;
};
Peak peakIn(const StepGraph &memory, std::span<const int> order)
{
    MemoryWalk walk(memory);
    Peak peak{0, 0};
    for (int place = 0; place < int(order.size()); ++place) {
        walk.run(order[std::size_t(place)]);
        if (walk.peak() > peak.bytes)
            peak = {place, walk.peak()};
    }
    return peak;
}

/// Where nothing narrow divides a segment (the weight gradients of a training graph wait for
/// nothing), pieces of its order are solved one after the other, then pieces across their borders.
void solveInWindows(const StepGraph &memory, std::span<const int> steps, std::vector<bool> &done,
                    const SchedulingOptions &options, SegmentCache *cache, std::vector<int> &order)
{
    constexpr std::size_t window = 96;
    const std::vector<bool> doneBefore = done;
    std::vector<int> current(steps.begin(), steps.end());
    for (const std::size_t offset : {window, window / 2}) {
        done = doneBefore;
        std::vector<int> next;
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

std::optional<std::vector<int>> SegmentCache::find(std::uint64_t form) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_orders.find(form);
    if (at == m_orders.end())
        return std::nullopt;
    ++m_hits;
    return at->second;
}

void SegmentCache::add(std::uint64_t form, std::vector<int> order)
{
    const std::lock_guard lock(m_mutex);
    m_orders.try_emplace(form, std::move(order));
}

std::size_t SegmentCache::hits() const
{
    const std::lock_guard lock(m_mutex);
    return m_hits;
}

std::vector<int> narrowWaists(const StepGraph &memory)
{
    return Dependence(memory, ownOrder(memory)).waists();
}

std::vector<int> scheduledBehind(const StepGraph &memory, std::span<const int> steps,
                                 std::vector<bool> &done, const SchedulingOptions &options,
                                 SegmentCache *cache)
{
    std::vector<int> order;
    for (const std::vector<int> &part : partition(memory, steps))
        if (part.size() <= Segment::longest)
            solve(memory, part, done, options, cache, order);
        else
            solveInWindows(memory, part, done, options, cache, order);
    return order;
}

void lowerPeaks(const StepGraph &memory, std::vector<int> &order, Places changed,
                const SchedulingOptions &options, SegmentCache *cache)
{
    constexpr int mostRounds = 16;
    for (int round = 0; round < mostRounds; ++round) {
        const auto [place, highest] = peakIn(memory, order);
        const int begin = std::max(0, place - int(Segment::longest) / 2);
        const int end = std::min(int(order.size()), begin + int(Segment::longest));
        if (begin > changed.last || end <= changed.first)
            return;
        std::vector<bool> done(order.size(), false);
        MemoryWalk walk(memory);
        for (const int step : std::span(order).first(std::size_t(begin))) {
            done[std::size_t(step)] = true;
            walk.run(step);
        }
        walk.forgetPeak();
        const auto window = std::span(order).subspan(std::size_t(begin), std::size_t(end - begin));
        std::vector<int> found;
        solve(memory, window, done, options, cache, found);
        for (const int step : found)
            walk.run(step);
        if (walk.peak() >= highest)
            return;
        std::ranges::copy(found, window.begin());
        changed = {std::min(changed.first, begin), std::max(changed.last, end - 1)};
    }
}

std::vector<int> scheduled(const StepGraph &memory, const SchedulingOptions &options,
                           SegmentCache *cache)
{
    std::vector<int> best = ownOrder(memory);
    if (best.empty())
        return best;
    std::int64_t peak = peakOf(memory, best);
    for (std::vector<int> &order : std::array{reversePostOrder(memory), leastGrowthOrder(memory)})
        if (const std::int64_t other = peakOf(memory, order); other < peak) {
            peak = other;
            best = std::move(order);
        }
    std::vector<bool> done(best.size(), false);
    std::vector<int> found = scheduledBehind(memory, best, done, options, cache);
    lowerPeaks(memory, found, {0, int(found.size()) - 1}, options, cache);
    // A step beside a waist goes to the segment behind it, which may be worse than where it was.
    return peakOf(memory, found) <= peak ? found : best;
}

} // namespace graphloom::magis
