// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/scheduling.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace graphloom::magis {

namespace {

/// Bytes alive while steps run one after the other.
class Walk {
public:
    explicit Walk(const MemoryGraph &memory) : m_memory(memory)
    {
        for (const Buffer &buffer : memory.buffers()) {
            m_left.push_back(int(buffer.readers.size()));
            if (buffer.producer < 0 && !buffer.resident)
                m_alive += buffer.bytes;
        }
    }

    /// Bytes that the step adds, once it is done.
    std::int64_t growth(int step) const
    {
        std::int64_t bytes = 0;
        for (const int b : m_memory.steps()[std::size_t(step)].writes)
            bytes += added(b);
        for (const int b : m_memory.steps()[std::size_t(step)].reads)
            if (m_left[std::size_t(b)] == 1 && ends(b))
                bytes -= m_memory.buffers()[std::size_t(b)].bytes;
        return bytes;
    }
    void run(int step)
    {
        const Step &run = m_memory.steps()[std::size_t(step)];
        std::int64_t written = 0, freed = 0, takenOver = 0;
        for (const int b : run.writes)
            written += added(b);
        for (const int b : run.reads)
            if (--m_left[std::size_t(b)] == 0 && ends(b)) {
                freed += m_memory.buffers()[std::size_t(b)].bytes;
                if (std::ranges::binary_search(run.overwrites, b))
                    takenOver = added(run.writes.front());
            }
        m_peak = std::max(m_peak, m_alive + written - takenOver);
        for (const int b : run.writes)
            if (m_memory.buffers()[std::size_t(b)].readers.empty() && ends(b))
                freed += added(b);
        m_alive += written - freed;
    }
    std::int64_t peak() const { return m_peak; }

private:
    bool ends(int b) const
    {
        const Buffer &buffer = m_memory.buffers()[std::size_t(b)];
        return !buffer.kept && !buffer.resident;
    }
    std::int64_t added(int b) const
    {
        const Buffer &buffer = m_memory.buffers()[std::size_t(b)];
        return buffer.updates >= 0 ? 0 : buffer.bytes;
    }

    const MemoryGraph &m_memory;
    std::vector<int> m_left; // readers to come
    std::int64_t m_alive = 0, m_peak = 0;
};

} // namespace

std::int64_t peakOf(const MemoryGraph &memory, std::span<const int> order)
{
    Walk walk(memory);
    for (const int step : order)
        walk.run(step);
    return walk.peak();
}

std::vector<int> reversePostOrder(const MemoryGraph &memory)
{
    const auto steps = memory.steps();
    std::vector<int> order;
    std::vector<bool> seen(steps.size(), false);
    struct Frame {
        int step;
        std::size_t next;
    };
    std::vector<Frame> stack;
    for (int root = 0; root < int(steps.size()); ++root) {
        if (seen[std::size_t(root)] || !steps[std::size_t(root)].after.empty())
            continue;
        seen[std::size_t(root)] = true;
        stack.push_back({root, 0});
        while (!stack.empty()) {
            const auto &before = steps[std::size_t(stack.back().step)].before;
            if (stack.back().next < before.size()) {
                const int next = before[stack.back().next++];
                if (!seen[std::size_t(next)]) {
                    seen[std::size_t(next)] = true;
                    stack.push_back({next, 0});
                }
                continue;
            }
            order.push_back(stack.back().step);
            stack.pop_back();
        }
    }
    return order;
}

std::vector<int> leastGrowthOrder(const MemoryGraph &memory)
{
    const auto steps = memory.steps();
    Walk walk(memory);
    std::vector<int> waiting, order;
    std::vector<int> left;
    for (const Step &step : steps)
        left.push_back(int(step.before.size()));
    for (int s = 0; s < int(steps.size()); ++s)
        if (left[std::size_t(s)] == 0)
            waiting.push_back(s);
    while (!waiting.empty()) {
        const auto best = std::ranges::min_element(
            waiting, {}, [&](int step) { return std::pair(walk.growth(step), step); });
        const int step = *best;
        waiting.erase(best);
        walk.run(step);
        order.push_back(step);
        for (const int after : steps[std::size_t(step)].after)
            if (--left[std::size_t(after)] == 0)
                waiting.push_back(after);
    }
    return order;
}

std::vector<std::vector<int>> portfolio(const MemoryGraph &memory)
{
    std::vector<int> own(memory.steps().size());
    std::iota(own.begin(), own.end(), 0);
    std::vector<std::vector<int>> orders{std::move(own)};
    SegmentCache cache;
    for (auto &order : {reversePostOrder(memory), leastGrowthOrder(memory),
                        scheduled(memory, SchedulingOptions(), &cache)})
        if (std::ranges::find(orders, order) == orders.end())
            orders.push_back(order);
    return orders;
}

} // namespace graphloom::magis
