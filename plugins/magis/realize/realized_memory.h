// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

namespace graphloom::magis {

/// Which tensors of a realized graph share memory, and when it is needed. A storage is of one
/// tensor and of
/// - its views: nodes that hand elements on, and slices that are in one piece;
/// - parts that are in one piece where they are joined: each is computed in its place. Other parts
///   are copied there as soon as they are computed;
/// - what is added up part by part: in place; an update of a weight: in the weight's place.
/// What is swapped is away between two uses, but for the steps that its transfers take.
struct RealizedMemory {
    /// Positions from `first` to `last` at which a storage is swapped out; a load of it has to be
    /// done before `loadedBefore`.
    struct Absence {
        int first, last, loadedBefore;
        auto operator<=>(const Absence &) const = default;
    };
    struct Storage {
        std::int64_t bytes = 0;
        int first = -1, last = -1; // positions in the graph's order; -1: never
        bool resident = false;     // a weight
        /// The storage whose memory it takes over: its last use, or the last one before it is
        /// swapped out, is the first of this one.
        int takesOver = -1;
        std::vector<Absence> away; // in order
    };
    struct Place {
        int storage = -1;        // -1: none (lists of positions and extents)
        std::int64_t offset = 0; // bytes
    };
    std::vector<Storage> storages;
    std::vector<Place> places; // by tensor id
    /// Parts that are copied to their place in a joined tensor, the second.
    std::vector<std::pair<TensorId, TensorId>> copies;
    /// Bytes that the kernel of each node needs besides while it runs, by position.
    std::vector<std::int64_t> workspaces;
    std::int64_t peak = 0; // bytes of all that is alive at one time, and of weights
    int peakPosition = -1;
};

RealizedMemory memoryOf(const MemoryGraph &memory, const Realized &realized);

} // namespace graphloom::magis
