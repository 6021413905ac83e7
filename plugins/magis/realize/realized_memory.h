// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

namespace graphloom::magis {

/// Tells which tensors of a realized graph share memory, and when it is needed. A storage belongs
/// to one tensor and to
/// - its views: nodes that hand elements on, and slices that are contiguous;
/// - parts that are contiguous in the tensor that they are joined to, which are computed in place;
///   other parts are copied there as soon as they are computed;
/// - values that are added up part by part, in place, and updates of a weight, in the weight's
///   place.
/// Tensors that are swapped are away between two uses, except during the steps that their transfers
/// take.
struct RealizedMemory {
    /// Positions from `first` to `last` at which a storage is swapped out; its load has to be done
    /// before `loadedBefore`.
    struct Absence {
        int first, last, loadedBefore;
        auto operator<=>(const Absence &) const = default;
    };
    struct Storage {
        std::int64_t bytes = 0;
        int first = -1, last = -1; // positions in the graph's order; -1: never
        bool resident = false;     // a weight
        /// The storage whose memory it takes over; -1: none. The last use of that one, or the last
        /// one before it is swapped out, is the first of this one.
        int takesOver = -1;
        std::vector<Absence> away; // in order
    };
    struct Place {
        int storage = -1;        // -1: none (lists of positions and extents)
        std::int64_t offset = 0; // bytes
    };
    std::vector<Storage> storages;
    std::vector<Place> places; // by tensor id
    /// Parts that are copied to their place in a joined tensor, which is the second of each pair.
    std::vector<std::pair<TensorId, TensorId>> copies;
    /// Workspace of each node's kernel while it runs, in bytes, by position.
    std::vector<std::int64_t> workspaces;
    std::int64_t peak = 0; // bytes of all that is alive at one time, and of weights
    int peakPosition = -1;
};

/// Determines the storages of a realized graph.
RealizedMemory memoryOf(const MemoryGraph &memory, const Realized &realized);

} // namespace graphloom::magis
