// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/state_order.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

/// Has the readers of a buffer's next life read a buffer that the first of them makes.
void beginLife(std::vector<Step> &steps, std::vector<Buffer> &buffers, int buffer,
               std::span<const int> readers)
{
    const int life = int(buffers.size());
    Buffer next = buffers[std::size_t(buffer)];
    next.producer = readers.front();
    next.updates = -1;
    next.readers.assign(readers.begin() + 1, readers.end());
    std::ranges::sort(next.readers);
    buffers.push_back(std::move(next));
    for (const int reader : readers) {
        Step &step = steps[std::size_t(reader)];
        std::erase(step.reads, buffer);
        std::erase(step.overwrites, buffer);
        if (reader == readers.front())
            step.writes.push_back(life);
        else
            step.reads.push_back(life); // ascending: it is the highest number
    }
}

} // namespace

StepGraph stepsIn(const SearchSpace &space, const State &state)
{
    const MemoryGraph &memory = space.memory();
    const Arrangement &plan = *state.arrangement;
    std::vector<Step> steps(memory.steps().begin(), memory.steps().end());
    std::vector<Buffer> buffers(memory.buffers().begin(), memory.buffers().end());
    const int count = int(buffers.size());
    for (int b = 0; b < count; ++b)
        if (!buffers[std::size_t(b)].resident)
            buffers[std::size_t(b)].bytes = plan.bytes(b);
    const auto position = [&](int step) { return plan.position(step); };
    for (int b = 0; b < count; ++b) {
        std::vector<int> begins; // positions of the first readers of lives
        const auto [first, end] = space.evictionsOf(b);
        for (int e = first; e < end; ++e)
            if (state.policies[std::size_t(e)] != Policy::Keep && plan.gap(e).isPossible())
                begins.push_back(position(space.evictions()[std::size_t(e)].reader));
        if (begins.empty())
            continue;
        std::ranges::sort(begins);
        std::vector<int> readers = buffers[std::size_t(b)].readers;
        std::ranges::sort(readers, {}, position);
        const auto placeOf = [&](int begin) {
            return std::ranges::lower_bound(readers, begin, {}, position) - readers.begin();
        };
        for (std::size_t life = 0; life < begins.size(); ++life) {
            const auto from = placeOf(begins[life]);
            const auto to =
                life + 1 < begins.size() ? placeOf(begins[life + 1]) : std::ssize(readers);
            beginLife(steps, buffers, b,
                      std::span(readers).subspan(std::size_t(from), std::size_t(to - from)));
            // Only the last life is there at the end.
            if (life + 1 < begins.size())
                buffers.back().kept = false;
        }
        Buffer &whole = buffers[std::size_t(b)];
        whole.kept = false;
        readers.resize(std::size_t(placeOf(begins.front())));
        std::ranges::sort(readers);
        whole.readers = std::move(readers);
    }
    return {std::move(steps), std::move(buffers)};
}

std::optional<std::vector<int>> reordered(const SearchSpace &space, const State &state,
                                          const SchedulingOptions &options, SegmentCache *cache)
{
    const StepGraph graph = stepsIn(space, state);
    std::vector<int> order = state.arrangement->order();
    lowerPeaks(graph, order, {0, int(order.size()) - 1}, options, cache);
    if (order == state.arrangement->order())
        return std::nullopt;
    return order;
}

} // namespace graphloom::magis
