// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory/arena.h"
#include "plugins/magis/realize/realized_memory.h"

namespace graphloom::magis {

/// Offsets for all that a realized graph has in memory besides weights.
struct RealizedArena {
    /// A storage from one position of the graph's order to another, between swaps.
    struct Stay {
        int begin, end;
        int stored; // behind which position, if it leaves
        std::size_t request;
    };
    /// Storages that take over another one's memory share its request; those that are swapped have
    /// one for each time that they are there.
    std::vector<ArenaRequest> requests;
    std::vector<std::vector<Stay>> stays; // by storage; none of weights
    /// Of what kernels need for themselves: positions and requests, ascending.
    std::vector<std::pair<int, std::size_t>> workspaces;
    ArenaLayout layout; // of the requests
};

RealizedArena arenaOf(const RealizedMemory &memory);

} // namespace graphloom::magis
