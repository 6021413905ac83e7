// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/realized_arena.h"

#include <algorithm>

namespace graphloom::magis {

RealizedArena arenaOf(const RealizedMemory &memory)
{
    RealizedArena arena;
    const auto &storages = memory.storages;
    std::vector<int> order(storages.size());
    for (std::size_t s = 0; s < storages.size(); ++s)
        order[s] = int(s);
    std::ranges::stable_sort(order, {}, [&](int s) { return storages[std::size_t(s)].first; });
    arena.stays.resize(storages.size());
    for (const int s : order) {
        const RealizedMemory::Storage &storage = storages[std::size_t(s)];
        if (storage.resident || storage.first < 0)
            continue;
        int begin = storage.first;
        for (std::size_t a = 0; a <= storage.away.size(); ++a) {
            const int end = a < storage.away.size() ? storage.away[a].first - 1 : storage.last;
            std::size_t request = arena.requests.size();
            if (a == 0 && storage.takesOver >= 0) {
                auto &taken = *std::ranges::find(arena.stays[std::size_t(storage.takesOver)], begin,
                                                 &RealizedArena::Stay::end);
                taken.stored = begin - 1; // before it is overwritten, unless it came just now
                request = taken.request;
                arena.requests[request].last =
                    std::max(arena.requests[request].last, std::uint32_t(end));
            } else {
                arena.requests.push_back({storage.bytes, std::uint32_t(begin), std::uint32_t(end)});
            }
            arena.stays[std::size_t(s)].push_back({begin, end, end, request});
            begin = a < storage.away.size() ? storage.away[a].last + 1 : end;
        }
    }
    for (std::size_t p = 0; p < memory.workspaces.size(); ++p)
        if (memory.workspaces[p] > 0) {
            arena.workspaces.emplace_back(int(p), arena.requests.size());
            arena.requests.push_back({memory.workspaces[p], std::uint32_t(p), std::uint32_t(p)});
        }
    arena.layout = planArena(arena.requests);
    return arena;
}

} // namespace graphloom::magis
