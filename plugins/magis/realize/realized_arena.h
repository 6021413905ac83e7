// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory/arena.h"
#include "plugins/magis/realize/realized_memory.h"

namespace graphloom::magis {

/// Holds the offsets of everything that a realized graph has in memory besides weights.
struct RealizedArena {
    /// A period for which a storage is in memory, between swaps.
    struct Stay {
        RealizedPosition begin, end;
        RealizedPosition stored; // the node after which it is stored, if it is swapped out
        std::size_t request;
    };
    /// Requests for memory. Storages that take over another one's memory share its request; those
    /// that are swapped have one for each stay.
    std::vector<ArenaRequest> requests;
    IndexedVector<StorageIndex, std::vector<Stay>> stays; // empty for weights
    /// Positions and requests of the workspaces that kernels need, ascending.
    std::vector<std::pair<RealizedPosition, std::size_t>> workspaces;
    ArenaLayout layout; // of the requests
};

/// Plans the arena of a realized graph.
RealizedArena arenaOf(const RealizedMemory &memory);

} // namespace graphloom::magis
