// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_schedule.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

/// Returns the positions that write to each storage, ascending.
IndexedVector<StorageIndex, std::vector<RealizedPosition>> writesOf(const Graph &graph,
                                                                    const RealizedMemory &memory)
{
    IndexedVector<StorageIndex, std::vector<RealizedPosition>> writes(memory.storages.size());
    std::vector<std::vector<StorageIndex>> copiedTo(graph.tensorBound());
    for (const auto &[part, whole] : memory.copies)
        copiedTo[part.index].push_back(memory.places[whole.index].storage);
    const IndexedSpan<RealizedPosition, const NodeId> nodes(graph.order());
    for (const RealizedPosition p : nodes.indices())
        for (const TensorId output : graph.node(nodes[p]).outputs) {
            if (!output.valid())
                continue;
            if (const StorageIndex s = memory.places[output.index].storage; s.isValid())
                writes[s].push_back(p);
            for (const StorageIndex s : copiedTo[output.index])
                writes[s].push_back(p);
        }
    return writes;
}

std::uint32_t stepOf(RealizedPosition position)
{
    return std::uint32_t(position.number());
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
    /// Counts the storages of the schedule, which are those in use.
    using Scheduled = TypedIndex<struct ScheduledStorageTag>;
    IndexedVector<Scheduled, MemorySchedule::Storage> storages;
    IndexedVector<StorageIndex, Scheduled> scheduledAs(memory.storages.size());
    for (const StorageIndex s : memory.storages.indices()) {
        const RealizedMemory::Storage &from = memory.storages[s];
        if (!from.first.isValid() && !from.resident)
            continue; // never used
        scheduledAs[s] = storages.nextIndex();
        MemorySchedule::Storage &storage = storages.emplace_back();
        storage.bytes = from.bytes;
        storage.resident = from.resident;
        if (from.resident)
            continue;
        storage.first = stepOf(from.first);
        storage.last = stepOf(from.last);
        for (const RealizedArena::Stay &stay : arena.stays[s])
            storage.offsets.push_back(arena.layout.offsets[stay.request]);
        for (const RealizedMemory::Absence &away : from.away) {
            // Views do not write; the elements that they pass on were written before.
            const auto next = std::ranges::lower_bound(writes[s], away.first);
            const RealizedPosition written =
                next == writes[s].begin() ? from.first : *std::prev(next);
            schedule.swaps.push_back({std::uint32_t(scheduledAs[s].number()), stepOf(written),
                                      stepOf(away.first), stepOf(away.last + 1),
                                      stepOf(away.loadedBefore)});
        }
    }
    for (const StorageIndex s : memory.storages.indices())
        if (const StorageIndex taken = memory.storages[s].takesOver;
            scheduledAs[s].isValid() && taken.isValid())
            storages[scheduledAs[s]].takesOver = scheduledAs[taken].number();
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
        if (const RealizedMemory::Place &place = memory.places[t];
            graph.contains(TensorId{t}) && place.storage.isValid() &&
            scheduledAs[place.storage].isValid())
            storages[scheduledAs[place.storage]].tensors.push_back({TensorId{t}, place.offset});
    schedule.storages = std::move(storages.elements());
    for (const auto &[part, whole] : memory.copies)
        schedule.copies.push_back({part, whole});
    for (const RealizedPosition p : memory.workspaces.indices())
        if (memory.workspaces[p] > 0)
            schedule.workspaces.push_back({stepOf(p), memory.workspaces[p]});
    return schedule;
}

} // namespace graphloom::magis
