// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/scheduling.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>

namespace graphloom::magis {

namespace {

constexpr std::size_t longestSegment = 128;
using StepSet = std::bitset<longestSegment>;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9fb21c651e98df25ULL;
    return hash ^ (hash >> 29);
}

/// Steps that are scheduled among themselves, behind others that are done.
class Segment {
public:
    /// `done`: by step, what is earlier. The steps are in a topological order.
    Segment(const MemoryGraph &memory, std::vector<int> steps, const std::vector<bool> &done)
        : m_memory(memory), m_steps(std::move(steps))
    {
        std::map<int, int> place, buffer;
        for (int i = 0; i < int(m_steps.size()); ++i)
            place[m_steps[std::size_t(i)]] = i;
        const auto add = [&](int b) {
            const auto [at, added] = buffer.try_emplace(b, int(m_buffers.size()));
            if (!added)
                return at->second;
            const Buffer &facts = memory.buffers()[std::size_t(b)];
            Local local;
            local.bytes = facts.resident || facts.updates >= 0 ? 0 : facts.bytes;
            local.outlives = facts.kept || facts.resident;
            for (const int reader : facts.readers)
                if (const auto inside = place.find(reader); inside != place.end())
                    local.readers.set(std::size_t(inside->second));
                else if (!done[std::size_t(reader)])
                    local.outlives = true;
            m_buffers.push_back(local);
            return at->second;
        };
        for (const int s : m_steps) {
            const Step &step = memory.steps()[std::size_t(s)];
            Call call;
            call.kind = step.kind;
            for (const int before : step.before)
                if (const auto inside = place.find(before); inside != place.end())
                    call.before.set(std::size_t(inside->second));
            for (const int b : step.reads) {
                call.reads.push_back(add(b));
                if (std::ranges::binary_search(step.overwrites, b))
                    call.overwrites.push_back(call.reads.back());
            }
            for (const int b : step.writes)
                call.writes.push_back(add(b));
            m_calls.push_back(std::move(call));
        }
    }

    /// Equal for segments that have the same best orders.
    std::uint64_t form() const
    {
        std::uint64_t hash = m_calls.size();
        for (const Call &call : m_calls) {
            hash = mixed(hash, std::uint64_t(call.kind));
            for (const auto *list : {&call.reads, &call.writes}) {
                hash = mixed(hash, list->size());
                for (const int b : *list)
                    hash = mixed(mixed(hash, std::uint64_t(b)),
                                 std::uint64_t(m_buffers[std::size_t(b)].bytes) * 2 +
                                     m_buffers[std::size_t(b)].outlives);
            }
        }
        return hash;
    }

    /// Places of the steps in an order whose highest memory is least.
    std::vector<int> order(std::size_t most) const
    {
        const std::size_t count = m_calls.size();
        std::vector<int> result(count);
        std::iota(result.begin(), result.end(), 0);
        if (count < 3)
            return result;
        // One level for each number of steps done.
        std::vector<std::vector<Reached>> levels(1);
        levels[0].push_back({{}, 0, 0, -1, -1});
        for (std::size_t level = 0; level < count; ++level) {
            std::unordered_map<StepSet, std::size_t> known;
            std::vector<Reached> next;
            for (int from = 0; from < int(levels[level].size()); ++from)
                extend(levels[level][std::size_t(from)], from, known, next);
            if (next.size() > most) {
                std::ranges::nth_element(
                    next, next.begin() + std::ptrdiff_t(most), {},
                    [](const Reached &reached) { return std::pair(reached.peak, reached.alive); });
                next.resize(most);
            }
            levels.push_back(std::move(next));
        }
        int at = 0;
        for (std::size_t level = count; level > 0; --level) {
            const Reached &reached = levels[level][std::size_t(at)];
            result[level - 1] = reached.step;
            at = reached.from;
        }
        return result;
    }

private:
    struct Local {
        std::int64_t bytes = 0;
        bool outlives = false;
        StepSet readers;
    };
    struct Call {
        int kind = 0;
        StepSet before;
        std::vector<int> reads, writes, overwrites;
    };
    struct Reached {
        StepSet done;
        std::int64_t peak, alive;
        int from, step;
    };

    void extend(const Reached &reached, int from, std::unordered_map<StepSet, std::size_t> &known,
                std::vector<Reached> &next) const
    {
        for (int s = 0; s < int(m_calls.size()); ++s) {
            const Call &call = m_calls[std::size_t(s)];
            if (reached.done[std::size_t(s)] || (call.before & ~reached.done).any())
                continue;
            Reached after = reached;
            after.done.set(std::size_t(s));
            after.from = from;
            after.step = s;
            std::int64_t written = 0, freed = 0, takenOver = 0;
            for (const int b : call.writes) {
                const Local &buffer = m_buffers[std::size_t(b)];
                written += buffer.bytes;
                if (buffer.readers.none() && !buffer.outlives)
                    freed += buffer.bytes;
            }
            for (const int b : call.reads) {
                const Local &buffer = m_buffers[std::size_t(b)];
                if (buffer.outlives || (buffer.readers & ~after.done).any())
                    continue;
                freed += buffer.bytes;
                if (std::ranges::find(call.overwrites, b) != call.overwrites.end())
                    takenOver = m_buffers[std::size_t(call.writes.front())].bytes;
            }
            after.peak = std::max(after.peak, after.alive + written - takenOver);
            after.alive += written - freed;
            const auto [at, added] = known.try_emplace(after.done, next.size());
            if (added)
                next.push_back(after);
            else if (after.peak < next[at->second].peak)
                next[at->second] = after;
        }
    }

    const MemoryGraph &m_memory;
    std::vector<int> m_steps;
    std::vector<Local> m_buffers;
    std::vector<Call> m_calls;
};

/// Which of some steps have to be earlier and later than others of them, directly or not.
class Dependence {
public:
    Dependence(const MemoryGraph &memory, std::span<const int> steps)
        : m_words((steps.size() + 63) / 64), m_before(steps.size() * m_words, 0)
    {
        std::vector<int> place(memory.steps().size(), -1);
        for (std::size_t i = 0; i < steps.size(); ++i)
            place[std::size_t(steps[i])] = int(i);
        m_earlier.assign(steps.size(), 0);
        m_later.assign(steps.size(), 0);
        for (std::size_t i = 0; i < steps.size(); ++i)
            for (const int before : memory.steps()[std::size_t(steps[i])].before)
                if (const int b = place[std::size_t(before)]; b >= 0) {
                    for (std::size_t w = 0; w < m_words; ++w)
                        m_before[i * m_words + w] |= m_before[std::size_t(b) * m_words + w];
                    m_before[i * m_words + std::size_t(b) / 64] |= std::uint64_t(1) << (b % 64);
                }
        for (std::size_t i = 0; i < steps.size(); ++i)
            for (std::size_t w = 0; w < m_words; ++w) {
                std::uint64_t bits = m_before[i * m_words + w];
                m_earlier[i] += std::popcount(bits);
                for (; bits != 0; bits &= bits - 1)
                    ++m_later[w * 64 + std::size_t(std::countr_zero(bits))];
            }
    }
    bool isEarlier(std::size_t a, std::size_t b) const // than b
    {
        return (m_before[b * m_words + a / 64] >> (a % 64) & 1) != 0;
    }
    int waist(std::size_t i) const { return int(m_earlier.size()) - m_earlier[i] - m_later[i] - 1; }

private:
    std::size_t m_words;
    std::vector<std::uint64_t> m_before;
    std::vector<int> m_earlier, m_later;
};

/// GraphPartition: segments that can be scheduled one after the other. `steps` are topological.
std::vector<std::vector<int>> partition(const MemoryGraph &memory, std::span<const int> steps)
{
    const Dependence dependence(memory, steps);
    std::vector<std::vector<int>> segments(1);
    std::vector<bool> taken(steps.size(), false);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (taken[i] || dependence.waist(i) > 1)
            continue;
        for (std::size_t j = 0; j <= i; ++j)
            if (!taken[j] && (j == i || dependence.isEarlier(j, i))) {
                taken[j] = true;
                segments.back().push_back(steps[j]);
            }
        segments.emplace_back();
    }
    for (std::size_t j = 0; j < steps.size(); ++j)
        if (!taken[j])
            segments.back().push_back(steps[j]);
    if (segments.back().empty())
        segments.pop_back();
    return segments;
}

/// Orders steps behind those that are done, and counts them as done.
void solve(const MemoryGraph &memory, std::span<const int> steps, std::vector<bool> &done,
           const SchedulingOptions &options, SegmentCache *cache, std::vector<int> &order)
{
    const Segment segment(memory, {steps.begin(), steps.end()}, done);
    const std::uint64_t form = mixed(segment.form(), options.states);
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

/// Where nothing narrow divides a segment (the weight gradients of a training graph wait for
/// nothing), pieces of its order are solved one after the other, then pieces across their borders.
void solveInWindows(const MemoryGraph &memory, std::span<const int> steps, std::vector<bool> &done,
                    const SchedulingOptions &options, SegmentCache *cache, std::vector<int> &order)
{
    constexpr std::size_t window = 32;
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

void schedule(const MemoryGraph &memory, std::span<const int> steps, std::vector<bool> &done,
              const SchedulingOptions &options, SegmentCache *cache, std::vector<int> &order)
{
    constexpr std::size_t longest = 48;
    for (const std::vector<int> &part : partition(memory, steps))
        if (part.size() <= longest)
            solve(memory, part, done, options, cache, order);
        else
            solveInWindows(memory, part, done, options, cache, order);
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

std::vector<int> narrowWaists(const MemoryGraph &memory)
{
    std::vector<int> steps(memory.steps().size());
    std::iota(steps.begin(), steps.end(), 0);
    const Dependence dependence(memory, steps);
    std::vector<int> waists;
    for (std::size_t i = 0; i < steps.size(); ++i)
        waists.push_back(dependence.waist(i));
    return waists;
}

std::vector<int> scheduled(const MemoryGraph &memory, const SchedulingOptions &options,
                           SegmentCache *cache)
{
    std::vector<int> steps(memory.steps().size()), order;
    std::iota(steps.begin(), steps.end(), 0);
    std::vector<bool> done(steps.size(), false);
    schedule(memory, steps, done, options, cache, order);
    return order;
}

std::vector<int> rescheduled(const MemoryGraph &before, std::span<const int> orderBefore,
                             std::span<const int> waists, const MemoryGraph &now,
                             const SchedulingOptions &options, SegmentCache *cache)
{
    // A step stays what it was if the node is there and neither it nor what it reads changed.
    const auto isKept = [&](int step) {
        const NodeId id = before.steps()[std::size_t(step)].node;
        return now.graph().contains(id) && now.stepOf(id) >= 0 &&
               now.graph().node(id).inputs == before.graph().node(id).inputs &&
               now.graph().node(id).outputs == before.graph().node(id).outputs &&
               now.graph().node(id).qualifiedOp() == before.graph().node(id).qualifiedOp();
    };
    const int count = int(orderBefore.size());
    int begin = count, end = -1;
    for (int p = 0; p < count; ++p)
        if (!isKept(orderBefore[std::size_t(p)])) {
            begin = std::min(begin, p);
            end = p;
        }
    std::vector<int> order;
    std::vector<bool> done(now.steps().size(), false);
    if (end < 0) { // only additions: what reads them changed its inputs, so that there are none
        begin = count;
        end = count - 1;
    }
    const auto extended = [&](int from, int direction) {
        int widest = std::numeric_limits<int>::max();
        for (int length = 0; length < options.longest && from >= 0 && from < count; ++length) {
            const int waist = waists[std::size_t(orderBefore[std::size_t(from)])];
            if (!((widest > options.loose || waist < options.narrow) && waist < widest))
                break;
            widest = waist;
            from += direction;
        }
        return std::clamp(from, 0, count - 1);
    };
    begin = begin < count ? extended(begin, -1) : count;
    end = end >= 0 && begin < count ? extended(end, 1) : end;
    for (int p = 0; p < begin; ++p) {
        order.push_back(now.stepOf(before.steps()[std::size_t(orderBefore[std::size_t(p)])].node));
        done[std::size_t(order.back())] = true;
    }
    std::vector<int> tail;
    std::vector<bool> later(now.steps().size(), false);
    for (int p = end + 1; p < count; ++p) {
        tail.push_back(now.stepOf(before.steps()[std::size_t(orderBefore[std::size_t(p)])].node));
        later[std::size_t(tail.back())] = true;
    }
    std::vector<int> middle;
    for (int s = 0; s < int(now.steps().size()); ++s)
        if (!done[std::size_t(s)] && !later[std::size_t(s)])
            middle.push_back(s);
    schedule(now, middle, done, options, cache, order);
    order.insert(order.end(), tail.begin(), tail.end());
    return order;
}

} // namespace graphloom::magis
