// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace graphloom::magis {

std::int64_t peakOf(const StepGraph &memory, std::span<const StepIndex> order)
{
    MemoryWalk walk(memory);
    for (const StepIndex step : order)
        walk.run(step);
    return walk.peak();
}

StepOrder ownOrder(const StepGraph &memory)
{
    StepOrder steps(memory.steps().size());
    std::iota(steps.begin(), steps.end(), StepIndex(0));
    return steps;
}

StepOrder reversePostOrder(const StepGraph &memory)
{
    const auto steps = memory.steps();
    StepOrder order;
    IndexedVector<StepIndex, bool> seen(steps.size(), false);
    struct Frame {
        StepIndex step;
        std::size_t next;
    };
    std::vector<Frame> stack;
    for (const StepIndex root : steps.indices()) {
        if (seen[root] || !steps[root].after.empty())
            continue;
        seen[root] = true;
        stack.push_back({root, 0});
        while (!stack.empty()) {
            const auto &before = steps[stack.back().step].before;
            if (stack.back().next < before.size()) {
                const StepIndex next = before[stack.back().next++];
                if (!seen[next]) {
                    seen[next] = true;
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

std::vector<StepIndex> leastGrowthOrder(const StepGraph &memory, std::span<const StepIndex> chosen,
                                        MemoryWalk walk)
{
    const auto steps = memory.steps();
    IndexedVector<StepIndex, int> left(steps.size(), -1); // unfinished predecessors; -1: not chosen
    std::vector<StepIndex> waiting, order;
    for (const StepIndex s : chosen)
        left[s] = 0;
    for (const StepIndex s : chosen) {
        left[s] = int(std::ranges::count_if(steps[s].before,
                                            [&](StepIndex before) { return left[before] >= 0; }));
        if (left[s] == 0)
            waiting.push_back(s);
    }
    while (!waiting.empty()) {
        const auto best = std::ranges::min_element(
            waiting, {}, [&](StepIndex step) { return std::pair(walk.growth(step), step); });
        const StepIndex step = *best;
        waiting.erase(best);
        walk.run(step);
        order.push_back(step);
        for (const StepIndex after : steps[step].after)
            if (left[after] > 0 && --left[after] == 0)
                waiting.push_back(after);
    }
    return order;
}

StepOrder leastGrowthOrder(const StepGraph &memory)
{
    return StepOrder(leastGrowthOrder(memory, ownOrder(memory), MemoryWalk(memory)));
}

std::vector<StepOrder> portfolio(const StepGraph &memory, StepOrder scheduled)
{
    std::vector<StepOrder> orders{ownOrder(memory)};
    for (StepOrder &order :
         std::array{reversePostOrder(memory), leastGrowthOrder(memory), std::move(scheduled)})
        if (std::ranges::find(orders, order) == orders.end())
            orders.push_back(std::move(order));
    return orders;
}

} // namespace graphloom::magis
