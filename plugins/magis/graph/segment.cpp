// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/segment.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

namespace graphloom::magis {

namespace {

std::uint64_t stirred(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9fb21c651e98df25ULL;
    return hash ^ (hash >> 29);
}

} // namespace

/// Finds sets of steps in a level; uses open addressing, since lookups dominate the time.
class Segment::SetIndex {
public:
    explicit SetIndex(std::size_t expected)
    {
        std::size_t size = 64;
        while (size < 2 * expected)
            size *= 2;
        m_slots.assign(size, {});
    }
    /// Returns the index of the set in the level. If it is new, returns an invalid index and gives
    /// it the level's next index.
    ReachedIndex place(StepSet set, const Level &next)
    {
        if (2 * next.size() >= m_slots.size())
            grow(next);
        ReachedIndex &slot = slotOf(set, next);
        const ReachedIndex found = slot;
        if (!found.isValid())
            slot = next.nextIndex();
        return found;
    }

private:
    ReachedIndex &slotOf(StepSet set, const Level &next)
    {
        std::size_t at =
            stirred(std::uint64_t(set >> 64), std::uint64_t(set)) & (m_slots.size() - 1);
        while (m_slots[at].isValid() && next[m_slots[at]].done != set)
            at = (at + 1) & (m_slots.size() - 1);
        return m_slots[at];
    }
    void grow(const Level &next)
    {
        m_slots.assign(2 * m_slots.size(), {});
        for (const ReachedIndex i : next.indices())
            slotOf(next[i].done, next) = i;
    }

    std::vector<ReachedIndex> m_slots;
};

Segment::Segment(const StepGraph &memory, std::span<const StepIndex> steps,
                 const IndexedVector<StepIndex, bool> &done)
{
    assert(int(steps.size()) <= longest);
    // So few that linear search is faster than maps.
    std::vector<BufferIndex> buffers;
    const Place end(steps.size());
    const auto placeOf = [&](StepIndex step) {
        return Place(std::ranges::find(steps, step) - steps.begin());
    };
    const auto add = [&](BufferIndex b) {
        const auto at = std::ranges::find(buffers, b);
        if (at != buffers.end())
            return LocalIndex(at - buffers.begin());
        buffers.push_back(b);
        const Buffer &facts = memory.buffers()[b];
        Local local;
        local.bytes = facts.resident || facts.updates.isValid() ? 0 : facts.bytes;
        local.outlives = facts.kept || facts.resident;
        for (const StepIndex reader : facts.readers) {
            if (done[reader])
                continue;
            if (const Place place = placeOf(reader); place < end)
                local.readers |= setOf(place);
            else
                local.outlives = true;
        }
        return m_buffers.append(local);
    };
    m_calls.reserve(steps.size());
    for (const StepIndex s : steps) {
        const Step &step = memory.steps()[s];
        Call call;
        for (const StepIndex before : step.before)
            if (!done[before])
                call.before |= setOf(placeOf(before));
        for (const BufferIndex b : step.reads) {
            if (memory.buffers()[b].resident)
                continue;
            call.reads.push_back(add(b));
            if (std::ranges::binary_search(step.overwrites, b))
                call.overwrites.push_back(call.reads.back());
        }
        for (const BufferIndex b : step.writes)
            call.writes.push_back(add(b));
        m_calls.push_back(std::move(call));
    }
}

std::uint64_t Segment::form() const
{
    std::uint64_t hash = m_calls.size();
    for (const Call &call : m_calls) {
        hash = stirred(stirred(hash, std::uint64_t(call.before >> 64)), std::uint64_t(call.before));
        for (const auto *list : {&call.reads, &call.writes, &call.overwrites}) {
            hash = stirred(hash, list->size());
            for (const LocalIndex b : *list)
                hash = stirred(hash, std::uint64_t(b.number()));
        }
    }
    for (const Local &buffer : m_buffers)
        hash = stirred(hash, std::uint64_t(buffer.bytes) * 2 + buffer.outlives);
    return hash;
}

Segment::Reached Segment::after(const Reached &reached, Place step) const
{
    const Call &call = m_calls[step];
    Reached after = reached;
    after.done |= setOf(step);
    after.step = step;
    std::int64_t written = 0, freed = 0, takenOver = 0;
    for (const LocalIndex b : call.writes) {
        const Local &buffer = m_buffers[b];
        written += buffer.bytes;
        if (buffer.readers == 0 && !buffer.outlives)
            freed += buffer.bytes;
    }
    for (const LocalIndex b : call.reads) {
        const Local &buffer = m_buffers[b];
        if (buffer.outlives || (buffer.readers & ~after.done) != 0)
            continue;
        freed += buffer.bytes;
        if (std::ranges::find(call.overwrites, b) != call.overwrites.end())
            takenOver = m_buffers[call.writes.front()].bytes;
    }
    after.peak = std::max(after.peak, after.alive + written - takenOver);
    after.alive += written - freed;
    return after;
}

std::int64_t Segment::peakAsGiven() const
{
    Reached reached;
    for (const Place s : m_calls.indices())
        reached = after(reached, s);
    return reached.peak;
}

std::int64_t Segment::peakOfLeastGrowth(std::vector<Place> &order) const
{
    Reached reached;
    while (order.size() < m_calls.size()) {
        std::optional<Reached> least;
        for (const Place s : m_calls.indices())
            if (isReady(reached.done, s))
                if (const Reached next = after(reached, s); !least || next.alive < least->alive)
                    least = next;
        reached = *least;
        order.push_back(reached.step);
    }
    return reached.peak;
}

/// Adds the sets that one more step reaches. A step that neither raises the peak nor adds bytes
/// runs at once: later it would free no less, and steps in between would use no less memory.
void Segment::extend(const Reached &reached, ReachedIndex from, std::int64_t bound, SetIndex &known,
                     Level &next) const
{
    const auto add = [&](Reached found) {
        found.from = from;
        const ReachedIndex place = known.place(found.done, next);
        if (!place.isValid())
            next.push_back(found);
        else if (found.peak < next[place].peak)
            next[place] = found;
    };
    std::vector<Reached> found;
    for (const Place s : m_calls.indices()) {
        if (!isReady(reached.done, s))
            continue;
        const Reached step = after(reached, s);
        if (step.peak == reached.peak && step.alive <= reached.alive)
            return add(step);
        if (step.peak < bound)
            found.push_back(step);
    }
    for (const Reached &step : found)
        add(step);
}

/// Returns the best order found with a peak below the bound; nothing if there is none.
std::optional<std::vector<Segment::Place>> Segment::better(std::int64_t bound,
                                                           std::size_t most) const
{
    std::vector<Level> levels(1, Level{Reached()}); // by the number of steps done
    for (std::size_t level = 0; level < m_calls.size(); ++level) {
        SetIndex known(levels[level].size());
        Level next;
        for (const ReachedIndex from : levels[level].indices())
            extend(levels[level][from], from, bound, known, next);
        if (next.empty())
            return std::nullopt;
        if (next.size() > most) {
            std::ranges::nth_element(next.elements(), next.begin() + std::ptrdiff_t(most), {},
                                     [](const Reached &reached) {
                                         return std::tuple(reached.peak, reached.alive,
                                                           reached.done);
                                     });
            next.resize(most);
        }
        levels.push_back(std::move(next));
    }
    std::vector<Place> order(m_calls.size());
    ReachedIndex at(0);
    for (std::size_t level = m_calls.size(); level > 0; --level) {
        const Reached &reached = levels[level][at];
        order[level - 1] = reached.step;
        at = reached.from;
    }
    return order;
}

std::vector<Segment::Place> Segment::order(std::size_t most) const
{
    std::vector<Place> best(m_calls.size());
    std::iota(best.begin(), best.end(), Place(0));
    if (m_calls.size() < 2)
        return best;
    std::int64_t bound = peakAsGiven();
    std::vector<Place> greedy;
    if (const std::int64_t peak = peakOfLeastGrowth(greedy); peak < bound) {
        bound = peak;
        best = std::move(greedy);
    }
    if (auto found = better(bound, most))
        best = std::move(*found);
    return best;
}

} // namespace graphloom::magis
