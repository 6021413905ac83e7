// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include <algorithm>
#include <limits>

namespace graphloom::magis {

namespace {

/// The steps of a graph that was made of another one, against that one's order: which of them are
/// the same, and between which places of the order the others are.
class Change {
public:
    Change(const MemoryGraph &before, std::span<const int> orderBefore, const MemoryGraph &now)
        : m_now(now), m_stepAt(orderBefore.size()), m_placeOf(now.steps().size(), isNew),
          m_begin(int(orderBefore.size()))
    {
        for (int p = 0; p < count(); ++p) {
            const int step = kept(before, orderBefore[std::size_t(p)]);
            m_stepAt[std::size_t(p)] = step;
            if (step < 0)
                include(p, p);
            else
                m_placeOf[std::size_t(step)] = p;
        }
        for (int s = 0; s < int(now.steps().size()); ++s)
            for (const int earlier : now.steps()[std::size_t(s)].before)
                includeDependence(earlier, s);
        if (m_begin > m_end && isGrown()) // new steps alone go behind the last that they read
            m_begin = m_end = std::clamp(m_end, 0, std::max(0, count() - 1));
    }

    int count() const { return int(m_stepAt.size()); }
    bool isNone() const { return m_begin > m_end; }
    int begin() const { return m_begin; }
    int end() const { return m_end; }
    /// The step that was at a place of the order; -1: it is gone or not the same any more.
    int stepAt(int place) const { return m_stepAt[std::size_t(place)]; }
    /// Steps that are not at a place before `begin` or behind `end`, in the order of the graph.
    std::vector<int> between(int begin, int end) const
    {
        std::vector<int> steps;
        for (int s = 0; s < int(m_placeOf.size()); ++s)
            if (const int p = m_placeOf[std::size_t(s)]; p == isNew || (begin <= p && p <= end))
                steps.push_back(s);
        return steps;
    }

private:
    static constexpr int isNew = -1;

    /// What the step is now: its node and what it reads and writes are as they were; else -1.
    int kept(const MemoryGraph &before, int step) const
    {
        const Step &old = before.steps()[std::size_t(step)];
        if (!m_now.graph().contains(old.node))
            return -1;
        const int now = m_now.stepOf(old.node);
        const Node &a = before.graph().node(old.node), &b = m_now.graph().node(old.node);
        const bool same =
            &a == &b || (a.inputs == b.inputs && a.outputs == b.outputs &&
                         a.captures == b.captures && a.op == b.op && a.domain == b.domain);
        if (now < 0 || !same)
            return -1;
        const Step &there = m_now.steps()[std::size_t(now)];
        const bool sameBytes = std::ranges::equal(
            old.writes, there.writes, {},
            [&](int w) { return before.buffers()[std::size_t(w)].bytes; },
            [&](int w) { return m_now.buffers()[std::size_t(w)].bytes; });
        return sameBytes ? now : -1;
    }
    void include(int first, int last)
    {
        m_begin = std::min(m_begin, first);
        m_end = std::max(m_end, last);
    }
    /// A new step stands behind what it needs and before what needs it; so do steps that were the
    /// other way round.
    void includeDependence(int earlier, int later)
    {
        const int a = m_placeOf[std::size_t(earlier)], b = m_placeOf[std::size_t(later)];
        if (a == isNew && b != isNew)
            m_begin = std::min(m_begin, b);
        else if (a != isNew && b == isNew)
            m_end = std::max(m_end, a);
        else if (a > b)
            include(b, a);
    }
    bool isGrown() const { return std::ranges::count(m_placeOf, isNew) > 0; }

    const MemoryGraph &m_now;
    std::vector<int> m_stepAt, m_placeOf;
    int m_begin, m_end = -1;
};

/// GetRescheduleInterval's ExtendBound.
int extended(std::span<const int> orderBefore, std::span<const int> waists, int from, int direction,
             const SchedulingOptions &options)
{
    const int count = int(orderBefore.size());
    int widest = std::numeric_limits<int>::max();
    for (int length = 0; length < options.longest && from >= 0 && from < count; ++length) {
        const int waist = waists[std::size_t(orderBefore[std::size_t(from)])];
        if (!((widest > options.loose || waist < options.narrow) && waist < widest))
            break;
        widest = waist;
        from += direction;
    }
    return std::clamp(from, 0, count - 1);
}

/// The steps as they were ordered before, new ones right before what needs them first.
std::vector<int> asBefore(const MemoryGraph &now, const Change &change, int begin, int end,
                          std::span<const int> steps)
{
    std::vector<bool> waits(now.steps().size(), false);
    for (const int s : steps)
        waits[std::size_t(s)] = true;
    std::vector<int> order, stack;
    const auto place = [&](int step) {
        stack.push_back(step);
        while (!stack.empty()) {
            const int top = stack.back();
            const auto &before = now.steps()[std::size_t(top)].before;
            const auto missing =
                std::ranges::find_if(before, [&](int b) { return waits[std::size_t(b)]; });
            if (missing != before.end()) {
                stack.push_back(*missing);
                continue;
            }
            stack.pop_back();
            if (waits[std::size_t(top)])
                order.push_back(top);
            waits[std::size_t(top)] = false;
        }
    };
    for (int p = begin; p <= end; ++p)
        if (const int step = change.stepAt(p); step >= 0)
            place(step);
    for (const int step : steps)
        place(step);
    return order;
}

/// An interval of an order, between what is done before it and what comes behind.
class Interval {
public:
    Interval(const MemoryGraph &now, const Change &change, int begin, int end)
        : m_now(now), m_steps(change.between(begin, end)), m_before(now)
    {
        for (int p = 0; p < begin; ++p)
            m_before.run(change.stepAt(p));
        m_best = asBefore(now, change, begin, end, m_steps);
        MemoryWalk walk = m_before;
        walk.forgetPeak();
        for (const int step : m_best)
            walk.run(step);
        m_peak = walk.peak();
        walk.forgetPeak();
        for (int p = end + 1; p < change.count(); ++p)
            walk.run(change.stepAt(p));
        m_outside = std::max(m_before.peak(), walk.peak());
    }

    /// Nothing in the interval needs more than what is outside of it.
    bool isEnough() const { return m_peak <= m_outside; }
    void add(std::vector<int> order)
    {
        MemoryWalk walk = m_before;
        walk.forgetPeak();
        for (const int step : order)
            walk.run(step);
        if (walk.peak() >= m_peak)
            return;
        m_peak = walk.peak();
        m_best = std::move(order);
    }
    const std::vector<int> &steps() const { return m_steps; }
    const MemoryWalk &before() const { return m_before; }
    const std::vector<int> &best() const { return m_best; }

private:
    const MemoryGraph &m_now;
    std::vector<int> m_steps;
    MemoryWalk m_before;
    std::vector<int> m_best;
    std::int64_t m_peak = 0, m_outside = 0;
};

} // namespace

std::vector<int> rescheduled(const MemoryGraph &before, std::span<const int> orderBefore,
                             std::span<const int> waists, const MemoryGraph &now,
                             const SchedulingOptions &options, SegmentCache *cache)
{
    const Change change(before, orderBefore, now);
    std::vector<int> order;
    order.reserve(now.steps().size());
    if (change.count() == 0)
        return scheduled(now, options, cache);
    if (change.isNone()) {
        for (int p = 0; p < change.count(); ++p)
            order.push_back(change.stepAt(p));
        return order;
    }
    const int begin = extended(orderBefore, waists, change.begin(), -1, options);
    const int end = extended(orderBefore, waists, change.end(), 1, options);
    Interval interval(now, change, begin, end);
    if (!interval.isEnough())
        interval.add(leastGrowthOrder(now, interval.steps(), interval.before()));
    if (!interval.isEnough()) {
        std::vector<bool> done(now.steps().size(), false);
        for (int p = 0; p < begin; ++p)
            done[std::size_t(change.stepAt(p))] = true;
        const std::vector<int> steps = interval.best();
        interval.add(scheduledBehind(now, steps, done, options, cache));
    }
    for (int p = 0; p < begin; ++p)
        order.push_back(change.stepAt(p));
    order.insert(order.end(), interval.best().begin(), interval.best().end());
    for (int p = end + 1; p < change.count(); ++p)
        order.push_back(change.stepAt(p));
    const int last = begin + int(interval.best().size()) - 1;
    lowerPeaks(now, order, {begin, last}, options, cache);
    return order;
}

} // namespace graphloom::magis
