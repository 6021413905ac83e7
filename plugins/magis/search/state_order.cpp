// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/search/state_order.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

using Steps = IndexedVector<StepIndex, Step>;
using Buffers = IndexedVector<BufferIndex, Buffer>;

/// Begins a life of a buffer: its first reader writes a new buffer that the other readers read.
void beginLife(Steps &steps, Buffers &buffers, BufferIndex buffer,
               std::span<const StepIndex> readers)
{
    Buffer next = buffers[buffer];
    next.producer = readers.front();
    next.updates = {};
    next.readers.assign(readers.begin() + 1, readers.end());
    std::ranges::sort(next.readers);
    const BufferIndex life = buffers.append(std::move(next));
    for (const StepIndex reader : readers) {
        Step &step = steps[reader];
        std::erase(step.reads, buffer);
        std::erase(step.overwrites, buffer);
        if (reader == readers.front())
            step.writes.push_back(life);
        else
            step.reads.push_back(life); // still ascending: it is the last buffer
    }
}

} // namespace

StepGraph stepsIn(const SearchSpace &space, const State &state)
{
    const MemoryGraph &memory = space.memory();
    const Arrangement &plan = *state.arrangement;
    Steps steps(Steps::Elements(memory.steps().begin(), memory.steps().end()));
    Buffers buffers(Buffers::Elements(memory.buffers().begin(), memory.buffers().end()));
    const auto whole = memory.buffers().indices();
    for (const BufferIndex b : whole)
        if (!buffers[b].resident)
            buffers[b].bytes = plan.bytes(b);
    const auto position = [&](StepIndex step) { return plan.position(step); };
    for (const BufferIndex b : whole) {
        std::vector<Position> begins; // of each life's first reader
        for (const EvictionIndex e : space.evictionsOf(b))
            if (state.policies[e] != Policy::Keep && plan.gap(e).isPossible())
                begins.push_back(position(space.evictions()[e].reader));
        if (begins.empty())
            continue;
        std::ranges::sort(begins);
        std::vector<StepIndex> readers = buffers[b].readers;
        std::ranges::sort(readers, {}, position);
        const auto readFrom = [&](Position begin) {
            return std::ranges::lower_bound(readers, begin, {}, position);
        };
        for (std::size_t life = 0; life < begins.size(); ++life) {
            const bool last = life + 1 == begins.size();
            const auto end = last ? readers.end() : readFrom(begins[life + 1]);
            beginLife(steps, buffers, b, {readFrom(begins[life]), end});
            if (!last) // only the last life lasts to the end
                buffers.back().kept = false;
        }
        buffers[b].kept = false;
        readers.erase(readFrom(begins.front()), readers.end());
        std::ranges::sort(readers);
        buffers[b].readers = std::move(readers);
    }
    return {std::move(steps), std::move(buffers)};
}

std::optional<StepOrder> reordered(const SearchSpace &space, const State &state,
                                   const SchedulingOptions &options, SegmentCache *cache)
{
    const StepGraph graph = stepsIn(space, state);
    StepOrder order = state.arrangement->order();
    lowerPeaks(graph, order, {Position(0), order.lastIndex()}, options, cache);
    if (order == state.arrangement->order())
        return std::nullopt;
    return order;
}

} // namespace graphloom::magis
