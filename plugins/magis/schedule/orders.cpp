// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/schedule/scheduling.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace graphloom::magis {

std::int64_t peakOf(const StepGraph &memory, std::span<const int> order)
{
    MemoryWalk walk(memory);
    for (const int step : order)
        walk.run(step);
    return walk.peak();
}

std::vector<int> reversePostOrder(const StepGraph &memory)
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

std::vector<int> leastGrowthOrder(const StepGraph &memory, std::span<const int> chosen,
                                  MemoryWalk walk)
{
    const auto steps = memory.steps();
    std::vector<int> left(steps.size(), -1), waiting, order;
    for (const int s : chosen)
        left[std::size_t(s)] = 0;
    for (const int s : chosen) {
        left[std::size_t(s)] =
            int(std::ranges::count_if(steps[std::size_t(s)].before,
                                      [&](int before) { return left[std::size_t(before)] >= 0; }));
        if (left[std::size_t(s)] == 0)
            waiting.push_back(s);
    }
    while (!waiting.empty()) {
        const auto best = std::ranges::min_element(
            waiting, {}, [&](int step) { return std::pair(walk.growth(step), step); });
        const int step = *best;
        waiting.erase(best);
        walk.run(step);
        order.push_back(step);
        for (const int after : steps[std::size_t(step)].after)
            if (left[std::size_t(after)] > 0 && --left[std::size_t(after)] == 0)
                waiting.push_back(after);
    }
    return order;
}

std::vector<int> leastGrowthOrder(const StepGraph &memory)
{
    std::vector<int> steps(memory.steps().size());
    std::iota(steps.begin(), steps.end(), 0);
    return leastGrowthOrder(memory, steps, MemoryWalk(memory));
}

std::vector<std::vector<int>> portfolio(const StepGraph &memory, std::vector<int> scheduled)
{
    std::vector<int> own(memory.steps().size());
    std::iota(own.begin(), own.end(), 0);
    std::vector<std::vector<int>> orders{std::move(own)};
    for (std::vector<int> &order :
         std::array{reversePostOrder(memory), leastGrowthOrder(memory), std::move(scheduled)})
        if (std::ranges::find(orders, order) == orders.end())
            orders.push_back(std::move(order));
    return orders;
}

} // namespace graphloom::magis
