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

/// Where sets of steps are in a list; open addressing, since looking them up is most of the work.
class Segment::SetIndex {
public:
    explicit SetIndex(std::size_t expected)
    {
        std::size_t size = 64;
        while (size < 2 * expected)
            size *= 2;
        m_slots.assign(size, -1);
    }
    /// The place of the set; -1, and `next.size()` from now on, where there is none.
    int place(StepSet set, const std::vector<Reached> &next)
    {
        if (2 * next.size() >= m_slots.size())
            grow(next);
        int &slot = slotOf(set, next);
        const int found = slot;
        if (found < 0)
            slot = int(next.size());
        return found;
    }

private:
    int &slotOf(StepSet set, const std::vector<Reached> &next)
    {
        std::size_t at =
            stirred(std::uint64_t(set >> 64), std::uint64_t(set)) & (m_slots.size() - 1);
        while (m_slots[at] >= 0 && next[std::size_t(m_slots[at])].done != set)
            at = (at + 1) & (m_slots.size() - 1);
        return m_slots[at];
    }
    void grow(const std::vector<Reached> &next)
    {
        m_slots.assign(2 * m_slots.size(), -1);
        for (std::size_t i = 0; i < next.size(); ++i)
            slotOf(next[i].done, next) = int(i);
    }

    std::vector<int> m_slots;
};

Segment::Segment(const StepGraph &memory, std::span<const int> steps, const std::vector<bool> &done)
{
    assert(steps.size() <= longest);
    // Few enough that looking through lists is faster than maps.
    std::vector<int> buffers;
    const auto placeOf = [&](int step) { return std::ranges::find(steps, step) - steps.begin(); };
    const auto add = [&](int b) {
        const auto at = std::ranges::find(buffers, b);
        if (at != buffers.end())
            return int(at - buffers.begin());
        buffers.push_back(b);
        const Buffer &facts = memory.buffers()[std::size_t(b)];
        Local local;
        local.bytes = facts.resident || facts.updates >= 0 ? 0 : facts.bytes;
        local.outlives = facts.kept || facts.resident;
        for (const int reader : facts.readers) {
            if (done[std::size_t(reader)])
                continue;
            if (const auto place = placeOf(reader); place < std::ssize(steps))
                local.readers |= StepSet(1) << place;
            else
                local.outlives = true;
        }
        m_buffers.push_back(local);
        return int(m_buffers.size()) - 1;
    };
    m_calls.reserve(steps.size());
    for (const int s : steps) {
        const Step &step = memory.steps()[std::size_t(s)];
        Call call;
        for (const int before : step.before)
            if (!done[std::size_t(before)])
                call.before |= StepSet(1) << placeOf(before);
        for (const int b : step.reads) {
            if (memory.buffers()[std::size_t(b)].resident)
                continue;
            call.reads.push_back(add(b));
            if (std::ranges::binary_search(step.overwrites, b))
                call.overwrites.push_back(call.reads.back());
        }
        for (const int b : step.writes)
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
            for (const int b : *list)
                hash = stirred(hash, std::uint64_t(b));
        }
    }
    for (const Local &buffer : m_buffers)
        hash = stirred(hash, std::uint64_t(buffer.bytes) * 2 + buffer.outlives);
    return hash;
}

Segment::Reached Segment::after(const Reached &reached, std::size_t step) const
{
    const Call &call = m_calls[step];
    Reached after = reached;
    after.done |= StepSet(1) << step;
    after.step = int(step);
    std::int64_t written = 0, freed = 0, takenOver = 0;
    for (const int b : call.writes) {
        const Local &buffer = m_buffers[std::size_t(b)];
        written += buffer.bytes;
        if (buffer.readers == 0 && !buffer.outlives)
            freed += buffer.bytes;
    }
    for (const int b : call.reads) {
        const Local &buffer = m_buffers[std::size_t(b)];
        if (buffer.outlives || (buffer.readers & ~after.done) != 0)
            continue;
        freed += buffer.bytes;
        if (std::ranges::find(call.overwrites, b) != call.overwrites.end())
            takenOver = m_buffers[std::size_t(call.writes.front())].bytes;
    }
    after.peak = std::max(after.peak, after.alive + written - takenOver);
    after.alive += written - freed;
    return after;
}

std::int64_t Segment::peakAsGiven() const
{
    Reached reached;
    for (std::size_t s = 0; s < m_calls.size(); ++s)
        reached = after(reached, s);
    return reached.peak;
}

std::int64_t Segment::peakOfLeastGrowth(std::vector<int> &order) const
{
    Reached reached;
    while (order.size() < m_calls.size()) {
        std::optional<Reached> least;
        for (std::size_t s = 0; s < m_calls.size(); ++s)
            if (isReady(reached.done, s))
                if (const Reached next = after(reached, s); !least || next.alive < least->alive)
                    least = next;
        reached = *least;
        order.push_back(reached.step);
    }
    return reached.peak;
}

/// What can run next. A step that neither raises the peak nor adds bytes is as well run at once:
/// later it would free no less, and everything between would have no less memory in use.
void Segment::extend(const Reached &reached, int from, std::int64_t bound, SetIndex &known,
                     std::vector<Reached> &next) const
{
    const auto add = [&](Reached found) {
        found.from = from;
        const int place = known.place(found.done, next);
        if (place < 0)
            next.push_back(found);
        else if (found.peak < next[std::size_t(place)].peak)
            next[std::size_t(place)] = found;
    };
    std::vector<Reached> found;
    for (std::size_t s = 0; s < m_calls.size(); ++s) {
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

/// An order whose peak is below the bound, and least of those; none where there is none.
std::optional<std::vector<int>> Segment::better(std::int64_t bound, std::size_t most) const
{
    std::vector<std::vector<Reached>> levels(1, {Reached()}); // by the number of steps done
    for (std::size_t level = 0; level < m_calls.size(); ++level) {
        SetIndex known(levels[level].size());
        std::vector<Reached> next;
        for (std::size_t from = 0; from < levels[level].size(); ++from)
            extend(levels[level][from], int(from), bound, known, next);
        if (next.empty())
            return std::nullopt;
        if (next.size() > most) {
            std::ranges::nth_element(
                next, next.begin() + std::ptrdiff_t(most), {}, [](const Reached &reached) {
                    return std::tuple(reached.peak, reached.alive, reached.done);
                });
            next.resize(most);
        }
        levels.push_back(std::move(next));
    }
    std::vector<int> order(m_calls.size());
    int at = 0;
    for (std::size_t level = m_calls.size(); level > 0; --level) {
        const Reached &reached = levels[level][std::size_t(at)];
        order[level - 1] = reached.step;
        at = reached.from;
    }
    return order;
}

std::vector<int> Segment::order(std::size_t most) const
{
    std::vector<int> best(m_calls.size());
    std::iota(best.begin(), best.end(), 0);
    if (m_calls.size() < 2)
        return best;
    std::int64_t bound = peakAsGiven();
    std::vector<int> greedy;
    if (const std::int64_t peak = peakOfLeastGrowth(greedy); peak < bound) {
        bound = peak;
        best = std::move(greedy);
    }
    if (auto found = better(bound, most))
        best = std::move(*found);
    return best;
}

} // namespace graphloom::magis
