// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

namespace graphloom::magis {

/// Counts the storages of a realized graph.
using StorageIndex = TypedIndex<struct RealizedStorageTag>;

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
        RealizedPosition first, last, loadedBefore;
        auto operator<=>(const Absence &) const = default;
    };
    struct Storage {
        std::int64_t bytes = 0;
        RealizedPosition first, last; // invalid: it is never needed
        bool resident = false;        // a weight
        /// The storage whose memory it takes over. The last use of that one, or the last one before
        /// it is swapped out, is the first of this one.
        StorageIndex takesOver;
        std::vector<Absence> away; // in order
    };
    struct Place {
        StorageIndex storage;    // invalid: none (lists of positions and extents)
        std::int64_t offset = 0; // bytes
    };
    IndexedVector<StorageIndex, Storage> storages;
    std::vector<Place> places; // by tensor id
    /// Parts that are copied to their place in a joined tensor, which is the second of each pair.
    std::vector<std::pair<TensorId, TensorId>> copies;
    /// Workspace of each node's kernel while it runs, in bytes.
    IndexedVector<RealizedPosition, std::int64_t> workspaces;
    std::int64_t peak = 0; // bytes of all that is alive at one time, and of weights
    RealizedPosition peakPosition;
};

/// Determines the storages of a realized graph.
RealizedMemory memoryOf(const MemoryGraph &memory, const Realized &realized);

} // namespace graphloom::magis
