// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include <algorithm>
#include <limits>

namespace graphloom::magis {

namespace {

/// Relates the steps of a changed graph to the order of the original one: which of them are
/// unchanged, and between which positions of the order the others are.
class Change {
public:
    Change(const MemoryGraph &before, const StepOrder &orderBefore, const MemoryGraph &now)
        : m_now(now), m_stepAt(orderBefore.size()), m_positionOf(now.steps().size()),
          m_begin(orderBefore.nextIndex())
    {
        for (const Position p : m_stepAt.indices()) {
            const StepIndex step = kept(before, orderBefore[p]);
            m_stepAt[p] = step;
            if (step.isValid())
                m_positionOf[step] = p;
            else
                include(p, p);
        }
        for (const StepIndex s : m_positionOf.indices())
            for (const StepIndex earlier : now.steps()[s].before)
                includeDependence(earlier, s);
        if (isNone() && isGrown()) // new steps alone go after the last one that they read
            m_begin = m_end =
                std::clamp(m_end, Position(0), std::max(Position(0), m_stepAt.lastIndex()));
    }

    bool isNone() const { return m_begin > m_end; }
    Position begin() const { return m_begin; }
    Position end() const { return m_end; }
    /// Returns the steps in the old order; invalid ones are gone or have changed.
    const StepOrder &order() const { return m_stepAt; }
    IndexRange<Position> before(Position begin) const { return {Position(0), begin}; }
    IndexRange<Position> behind(Position end) const { return {end + 1, m_stepAt.nextIndex()}; }
    /// Returns steps without a position before `begin` or after `end`, in the graph's order.
    std::vector<StepIndex> between(Position begin, Position end) const
    {
        std::vector<StepIndex> steps;
        for (const StepIndex s : m_positionOf.indices())
            if (const Position p = m_positionOf[s]; !p.isValid() || (begin <= p && p <= end))
                steps.push_back(s);
        return steps;
    }

private:
    /// Returns the step in the new graph; invalid if its node, inputs or outputs have changed.
    StepIndex kept(const MemoryGraph &before, StepIndex step) const
    {
        const Step &old = before.steps()[step];
        if (!m_now.graph().contains(old.node))
            return {};
        const StepIndex now = m_now.stepOf(old.node);
        const Node &a = before.graph().node(old.node), &b = m_now.graph().node(old.node);
        const bool same =
            &a == &b || (a.inputs == b.inputs && a.outputs == b.outputs &&
                         a.captures == b.captures && a.op == b.op && a.domain == b.domain);
        if (!now.isValid() || !same)
            return {};
        const Step &there = m_now.steps()[now];
        const bool sameBytes = std::ranges::equal(
            old.writes, there.writes, {}, [&](BufferIndex w) { return before.buffers()[w].bytes; },
            [&](BufferIndex w) { return m_now.buffers()[w].bytes; });
        return sameBytes ? now : StepIndex();
    }
    void include(Position first, Position last)
    {
        m_begin = std::min(m_begin, first);
        m_end = std::max(m_end, last);
    }
    /// Extends the interval by a dependence that involves a new step or that the old order
    /// violates.
    void includeDependence(StepIndex earlier, StepIndex later)
    {
        const Position a = m_positionOf[earlier], b = m_positionOf[later];
        if (!a.isValid() && b.isValid())
            m_begin = std::min(m_begin, b);
        else if (a.isValid() && !b.isValid())
            m_end = std::max(m_end, a);
        else if (a > b)
            include(b, a);
    }
    bool isGrown() const { return std::ranges::count(m_positionOf, Position()) > 0; }

    const MemoryGraph &m_now;
    StepOrder m_stepAt;
    IndexedVector<StepIndex, Position> m_positionOf; // invalid: the step is new
    Position m_begin, m_end;
};

/// Implements ExtendBound of GetRescheduleInterval.
Position extended(const StepOrder &orderBefore, const IndexedVector<StepIndex, int> &waists,
                  Position from, int direction, const SchedulingOptions &options)
{
    int widest = std::numeric_limits<int>::max();
    for (int length = 0; length < options.longest && orderBefore.contains(from); ++length) {
        const int waist = waists[orderBefore[from]];
        if (!((widest > options.loose || waist < options.narrow) && waist < widest))
            break;
        widest = waist;
        from += direction;
    }
    return std::clamp(from, Position(0), orderBefore.lastIndex());
}

/// Returns the steps in their old order; new ones come right before the first that needs them.
std::vector<StepIndex> asBefore(const MemoryGraph &now, const Change &change, Position begin,
                                Position end, std::span<const StepIndex> steps)
{
    IndexedVector<StepIndex, bool> waits(now.steps().size(), false);
    for (const StepIndex s : steps)
        waits[s] = true;
    std::vector<StepIndex> order, stack;
    const auto place = [&](StepIndex step) {
        stack.push_back(step);
        while (!stack.empty()) {
            const StepIndex top = stack.back();
            const auto &before = now.steps()[top].before;
            const auto missing =
                std::ranges::find_if(before, [&](StepIndex b) { return waits[b]; });
            if (missing != before.end()) {
                stack.push_back(*missing);
                continue;
            }
            stack.pop_back();
            if (waits[top])
                order.push_back(top);
            waits[top] = false;
        }
    };
    for (const Position p : IndexRange(begin, end + 1))
        if (const StepIndex step = change.order()[p]; step.isValid())
            place(step);
    for (const StepIndex step : steps)
        place(step);
    return order;
}

/// Represents an interval of an order, between the steps done before it and those after it.
class Interval {
public:
    Interval(const MemoryGraph &now, const Change &change, Position begin, Position end)
        : m_now(now), m_steps(change.between(begin, end)), m_before(now)
    {
        for (const Position p : change.before(begin))
            m_before.run(change.order()[p]);
        m_best = asBefore(now, change, begin, end, m_steps);
        MemoryWalk walk = m_before;
        walk.forgetPeak();
        for (const StepIndex step : m_best)
            walk.run(step);
        m_peak = walk.peak();
        walk.forgetPeak();
        for (const Position p : change.behind(end))
            walk.run(change.order()[p]);
        m_outside = std::max(m_before.peak(), walk.peak());
    }

    /// Tells whether the peak in the interval is no higher than the one outside.
    bool isEnough() const { return m_peak <= m_outside; }
    void add(std::vector<StepIndex> order)
    {
        MemoryWalk walk = m_before;
        walk.forgetPeak();
        for (const StepIndex step : order)
            walk.run(step);
        if (walk.peak() >= m_peak)
            return;
        m_peak = walk.peak();
        m_best = std::move(order);
    }
    const std::vector<StepIndex> &steps() const { return m_steps; }
    const MemoryWalk &before() const { return m_before; }
    const std::vector<StepIndex> &best() const { return m_best; }

private:
    const MemoryGraph &m_now;
    std::vector<StepIndex> m_steps;
    MemoryWalk m_before;
    std::vector<StepIndex> m_best;
    std::int64_t m_peak = 0, m_outside = 0;
};

} // namespace

StepOrder rescheduled(const MemoryGraph &before, const StepOrder &orderBefore,
                      const IndexedVector<StepIndex, int> &waists, const MemoryGraph &now,
                      const SchedulingOptions &options, SegmentCache *cache)
{
    const Change change(before, orderBefore, now);
    if (orderBefore.empty())
        return scheduled(now, options, cache);
    if (change.isNone())
        return change.order();
    const Position begin = extended(orderBefore, waists, change.begin(), -1, options);
    const Position end = extended(orderBefore, waists, change.end(), 1, options);
    Interval interval(now, change, begin, end);
    if (!interval.isEnough())
        interval.add(leastGrowthOrder(now, interval.steps(), interval.before()));
    if (!interval.isEnough()) {
        IndexedVector<StepIndex, bool> done(now.steps().size(), false);
        for (const Position p : change.before(begin))
            done[change.order()[p]] = true;
        const std::vector<StepIndex> steps = interval.best();
        interval.add(scheduledBehind(now, steps, done, options, cache));
    }
    StepOrder order;
    order.reserve(now.steps().size());
    for (const Position p : change.before(begin))
        order.push_back(change.order()[p]);
    for (const StepIndex step : interval.best())
        order.push_back(step);
    const Position last = order.lastIndex();
    for (const Position p : change.behind(end))
        order.push_back(change.order()[p]);
    lowerPeaks(now, order, {begin, last}, options, cache);
    return order;
}

} // namespace graphloom::magis
