// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_arena.h"

#include <algorithm>

namespace graphloom::magis {

RealizedArena arenaOf(const RealizedMemory &memory)
{
    RealizedArena arena;
    const auto &storages = memory.storages;
    std::vector<StorageIndex> order;
    for (const StorageIndex s : storages.indices())
        order.push_back(s);
    std::ranges::stable_sort(order, {}, [&](StorageIndex s) { return storages[s].first; });
    arena.stays.resize(storages.size());
    const auto at = [](RealizedPosition position) { return std::uint32_t(position.number()); };
    for (const StorageIndex s : order) {
        const RealizedMemory::Storage &storage = storages[s];
        if (storage.resident || !storage.first.isValid())
            continue;
        RealizedPosition begin = storage.first;
        for (std::size_t a = 0; a <= storage.away.size(); ++a) {
            const RealizedPosition end =
                a < storage.away.size() ? storage.away[a].first - 1 : storage.last;
            std::size_t request = arena.requests.size();
            if (a == 0 && storage.takesOver.isValid()) {
                auto &taken = *std::ranges::find(arena.stays[storage.takesOver], begin,
                                                 &RealizedArena::Stay::end);
                taken.stored = begin - 1; // before the overwrite; not at all if just loaded
                request = taken.request;
                arena.requests[request].last = std::max(arena.requests[request].last, at(end));
            } else {
                arena.requests.push_back({storage.bytes, at(begin), at(end)});
            }
            arena.stays[s].push_back({begin, end, end, request});
            begin = a < storage.away.size() ? storage.away[a].last + 1 : end;
        }
    }
    for (const RealizedPosition p : memory.workspaces.indices())
        if (memory.workspaces[p] > 0) {
            arena.workspaces.emplace_back(p, arena.requests.size());
            arena.requests.push_back({memory.workspaces[p], at(p), at(p)});
        }
    arena.layout = planArena(arena.requests);
    return arena;
}

} // namespace graphloom::magis
