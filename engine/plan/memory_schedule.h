// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <cstdint>
#include <vector>

namespace graphloom {

/// How the nodes of a graph run in the memory that was planned for them: which tensors share
/// memory, when they need it, and what is swapped out meanwhile. It is of one graph in one order; a
/// step is a node, by its position in that order.
struct MemorySchedule {
    struct Place {
        TensorId tensor;
        std::int64_t offset = 0; // bytes from where the storage begins
    };
    /// A piece of memory, for a tensor and what is in its place: views, parts of a tensor that is
    /// joined of them, sums that grow, the update of a weight.
    struct Storage {
        std::int64_t bytes = 0;
        std::uint32_t first = 0, last = 0; // steps that need it, both inclusive
        bool resident = false;             // of a weight: always there, and in no arena
        /// The storage in whose memory the step `first` writes it, element by element, while it is
        /// that one's last; it counts once there. -1: none.
        int takesOver = -1;
        std::vector<Place> tensors;
        /// Bytes from where the arena begins, one for each time that it is there: before its first
        /// swap, and after each. Empty: not planned.
        std::vector<std::int64_t> offsets;
    };
    /// A storage is copied to the host's memory and back. A store begins when the step
    /// `storedAfter` is done and has to be done before the step `awayFrom` begins; a load may begin
    /// with the step `backAt` and has to be done before `loadedBefore` begins. From `awayFrom` to
    /// the step before `backAt` it takes no memory.
    struct Swap {
        std::uint32_t storage = 0;
        std::uint32_t storedAfter = 0, awayFrom = 0, backAt = 0, loadedBefore = 0;
    };
    /// The tensor is copied to where it belongs in a joined one as soon as it is computed: the
    /// joined one is there from then on, and the Concat reads it no more.
    struct EarlyCopy {
        TensorId tensor, into;
    };
    struct Workspace {
        std::uint32_t step = 0;
        std::int64_t bytes = 0;
    };

    std::vector<NodeId> order; // of the graph that it is of
    std::uint64_t graphHash = 0;
    bool countsWeights = true; // else they stay in the mapped file
    std::vector<Storage> storages;
    std::vector<Swap> swaps; // of one storage in the order of time
    std::vector<EarlyCopy> copies;
    std::vector<Workspace> workspaces; // of kernels; those that need some, ascending
    std::int64_t arenaBytes = 0;       // of all offsets

    /// Is it of this graph, and of the order that it has?
    bool isOf(const Graph &graph) const;
};

struct MemoryPeak {
    std::int64_t bytes = 0;
    std::uint32_t step = 0; // the first that has them
};

/// The most memory that a step needs: storages that are there, workspaces, and weights, if they
/// count. The schedule is one that checkSchedule() lets pass.
MemoryPeak peakOf(const MemorySchedule &schedule);

/// Fails (Model) with the reason unless the schedule can be carried out: it names what the graph
/// has, every tensor fits into its storage, is there when a step reads or writes it, and is alone
/// at its place in the arena.
Result<void> checkSchedule(const Graph &graph, const MemorySchedule &schedule);

} // namespace graphloom
