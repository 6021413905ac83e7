// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// Describes how the nodes of a graph run in the memory that was planned for them: which tensors
/// share memory, when they need it, and what is swapped out meanwhile. A schedule belongs to one
/// graph in one order; a step is a node, given by its position in that order.
struct MemorySchedule {
    struct Place {
        TensorId tensor;
        std::int64_t offset = 0; // bytes from the start of the storage
    };
    /// Describes a piece of memory for a tensor and those that share its place: views, parts of the
    /// tensor that is concatenated from them, accumulating sums, the update of a weight.
    struct Storage {
        std::int64_t bytes = 0;
        std::uint32_t first = 0, last = 0; // steps that need it, inclusive
        bool resident = false;             // a weight: always in memory, outside the arena
        /// The storage that step `first` overwrites with this one, element by element, as the last
        /// step that needs it; their memory counts once in that step. -1: none.
        int takesOver = -1;
        std::vector<Place> tensors;
        /// Offsets in bytes from the start of the arena, one for each period in memory: before the
        /// first swap, and after each. Empty: not planned.
        std::vector<std::int64_t> offsets;
    };
    /// Describes how a storage is copied to the host's memory and back. The store begins when step
    /// `storedAfter` is done and must be done before step `awayFrom` begins; the load may begin
    /// with step `backAt` and must be done before step `loadedBefore` begins. From `awayFrom` to
    /// the step before `backAt` the storage takes no memory.
    struct Swap {
        std::uint32_t storage = 0;
        std::uint32_t storedAfter = 0, awayFrom = 0, backAt = 0, loadedBefore = 0;
    };
    /// Describes a tensor that is copied to its place in a concatenated one as soon as it is
    /// computed. The concatenated tensor is in memory from then on, and the Concat no longer reads
    /// the copied one.
    struct EarlyCopy {
        TensorId tensor, into;
    };
    struct Workspace {
        std::uint32_t step = 0;
        std::int64_t bytes = 0;
    };

    std::vector<NodeId> order; // the order of the graph that the schedule belongs to
    std::uint64_t graphHash = 0;
    bool countsWeights = true; // false: they stay in the mapped file
    std::vector<Storage> storages;
    std::vector<Swap> swaps; // those of one storage in chronological order
    std::vector<EarlyCopy> copies;
    std::vector<Workspace> workspaces; // of the kernels that need any, in ascending order of steps
    std::int64_t arenaBytes = 0;       // of the arena that the offsets refer to

    /// Tells whether the schedule belongs to this graph in its present order.
    bool isOf(const Graph &graph) const;
};

struct MemoryPeak {
    std::int64_t bytes = 0;
    std::uint32_t step = 0; // the first step with this peak
};

/// Returns the greatest memory that any step needs: storages in memory, workspaces, and weights if
/// they count. The schedule must pass checkSchedule().
MemoryPeak peakOf(const MemorySchedule &schedule);

/// Checks that a schedule can be carried out. Fails (Model), with the reason, unless it names what
/// the graph has, and every tensor fits into its storage, is in memory when a step reads or writes
/// it, and is alone at its place in the arena.
Result<void> checkSchedule(const Graph &graph, const MemorySchedule &schedule);

} // namespace graphloom
