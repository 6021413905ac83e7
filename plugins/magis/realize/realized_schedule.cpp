// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_schedule.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

/// By storage: positions at which something is written there, ascending.
std::vector<std::vector<int>> writesOf(const Graph &graph, const RealizedMemory &memory)
{
    std::vector<std::vector<int>> writes(memory.storages.size());
    std::vector<std::vector<int>> copiedTo(graph.tensorBound()); // storages
    for (const auto &[part, whole] : memory.copies)
        copiedTo[part.index].push_back(memory.places[whole.index].storage);
    const auto order = graph.order();
    for (int p = 0; p < int(order.size()); ++p)
        for (const TensorId output : graph.node(order[std::size_t(p)]).outputs) {
            if (!output.valid())
                continue;
            if (const int s = memory.places[output.index].storage; s >= 0)
                writes[std::size_t(s)].push_back(p);
            for (const int s : copiedTo[output.index])
                writes[std::size_t(s)].push_back(p);
        }
    return writes;
}

} // namespace

MemorySchedule scheduleOf(const Realized &realized, const RealizedMemory &memory,
                          const RealizedArena &arena, bool countsWeights)
{
    const Graph &graph = realized.graph;
    MemorySchedule schedule;
    schedule.order.assign(graph.order().begin(), graph.order().end());
    schedule.graphHash = graph.hash();
    schedule.countsWeights = countsWeights;
    schedule.arenaBytes = arena.layout.bytes;
    const auto writes = writesOf(graph, memory);
    std::vector<int> numberOf(memory.storages.size(), -1);
    for (std::size_t s = 0; s < memory.storages.size(); ++s) {
        const RealizedMemory::Storage &from = memory.storages[s];
        if (from.first < 0 && !from.resident)
            continue; // never needed
        numberOf[s] = int(schedule.storages.size());
        MemorySchedule::Storage &storage = schedule.storages.emplace_back();
        storage.bytes = from.bytes;
        storage.resident = from.resident;
        if (from.resident)
            continue;
        storage.first = std::uint32_t(from.first);
        storage.last = std::uint32_t(from.last);
        for (const RealizedArena::Stay &stay : arena.stays[s])
            storage.offsets.push_back(arena.layout.offsets[stay.request]);
        for (const RealizedMemory::Absence &away : from.away) {
            // Views do not write, but what they hand on has been written before.
            const auto next = std::ranges::lower_bound(writes[s], away.first);
            const int written = next == writes[s].begin() ? from.first : *std::prev(next);
            schedule.swaps.push_back({std::uint32_t(numberOf[s]), std::uint32_t(written),
                                      std::uint32_t(away.first), std::uint32_t(away.last + 1),
                                      std::uint32_t(away.loadedBefore)});
        }
    }
    for (std::size_t s = 0; s < memory.storages.size(); ++s)
        if (numberOf[s] >= 0 && memory.storages[s].takesOver >= 0)
            schedule.storages[std::size_t(numberOf[s])].takesOver =
                numberOf[std::size_t(memory.storages[s].takesOver)];
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
        if (const RealizedMemory::Place &place = memory.places[t];
            graph.contains(TensorId{t}) && place.storage >= 0 &&
            numberOf[std::size_t(place.storage)] >= 0)
            schedule.storages[std::size_t(numberOf[std::size_t(place.storage)])].tensors.push_back(
                {TensorId{t}, place.offset});
    for (const auto &[part, whole] : memory.copies)
        schedule.copies.push_back({part, whole});
    for (std::size_t p = 0; p < memory.workspaces.size(); ++p)
        if (memory.workspaces[p] > 0)
            schedule.workspaces.push_back({std::uint32_t(p), memory.workspaces[p]});
    return schedule;
}

} // namespace graphloom::magis
