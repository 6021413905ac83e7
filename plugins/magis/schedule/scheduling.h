// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_walk.h"
#include "plugins/magis/graph/segment.h"

#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_map>

namespace graphloom::magis {

/// Caches the orders of segments, so that blocks that repeat are scheduled once. Safe to use from
/// several threads.
class SegmentCache {
public:
    std::optional<std::vector<Segment::Place>> find(std::uint64_t form) const;
    void add(std::uint64_t form, std::vector<Segment::Place> order);
    std::size_t hits() const;

private:
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint64_t, std::vector<Segment::Place>> m_orders;
    mutable std::size_t m_hits = 0;
};

/// Holds the bounds of Algorithm 2, with the paper's values.
struct SchedulingOptions {
    int longest = 20; // steps by which the interval grows on each side
    int loose = 10;   // it grows while the waist is wider than this…
    int narrow = 4;   // …or than this, as long as it gets narrower
    /// Sets of steps that the dynamic program keeps at one time, those with the lowest peaks.
    std::size_t states = 2048;
    std::stop_token stop = {}; // once it is requested, steps stay in the order they have
};

/// Returns nw(v) of each step: how many other steps have to come neither before nor after it (MAGIS
/// 6.1).
IndexedVector<StepIndex, int> narrowWaists(const StepGraph &memory);

/// Returns the peak of an order in bytes, without weights.
std::int64_t peakOf(const StepGraph &memory, std::span<const StepIndex> order);

/// Returns an order with a low peak: the graph is cut where nw(v) <= 1, and each segment is solved
/// by dynamic programming over its sets of steps (Ahn et al. 2020, "Serenity"), long ones piece by
/// piece; then the steps around the peak are solved once more. The peak is never higher than that
/// of the graph's own order.
StepOrder scheduled(const StepGraph &memory, const SchedulingOptions &options,
                    SegmentCache *cache = nullptr);

/// Orders steps that all come after those that are done, and marks them as done: GraphPartition and
/// DpSchedule of Algorithm 2. The steps must be in a topological order.
std::vector<StepIndex> scheduledBehind(const StepGraph &memory, std::span<const StepIndex> steps,
                                       IndexedVector<StepIndex, bool> &done,
                                       const SchedulingOptions &options, SegmentCache *cache);
/// A range of positions, both included.
struct Positions {
    Position first, last;
};
/// Schedules the steps around the peak of an order again, and then those around the next peak, as
/// long as that helps and the pieces hold positions that have changed: all others were solved
/// before.
void lowerPeaks(const StepGraph &memory, StepOrder &order, Positions changed,
                const SchedulingOptions &options, SegmentCache *cache);

/// Returns an order with a low peak for a graph that was made from another one with a known order
/// (Algorithm 2). Steps far enough from the change keep their places. `waists` are
/// narrowWaists(before). Nodes must keep their ids.
///
/// A better order of the other steps is searched only if their peak is above that of all steps that
/// keep their places, which no order of the others could lower. Then, beyond the paper, the steps
/// around the peak are scheduled again if the change is among them.
StepOrder rescheduled(const MemoryGraph &before, const StepOrder &orderBefore,
                      const IndexedVector<StepIndex, int> &waists, const MemoryGraph &now,
                      const SchedulingOptions &options, SegmentCache *cache = nullptr);

/// Returns the order of the graph.
StepOrder ownOrder(const StepGraph &memory);
/// Returns a depth-first order from the outputs, in which the steps that a step needs come right
/// before it.
StepOrder reversePostOrder(const StepGraph &memory);
/// Returns the order that always runs the step that adds the fewest bytes, of those that are ready.
StepOrder leastGrowthOrder(const StepGraph &memory);
/// Does the same for the given steps only, after those that the walk has run.
std::vector<StepIndex> leastGrowthOrder(const StepGraph &memory, std::span<const StepIndex> steps,
                                        MemoryWalk walk);

/// Returns several distinct orders: the graph's own, reversePostOrder(), leastGrowthOrder() and
/// `scheduled`.
std::vector<StepOrder> portfolio(const StepGraph &memory, StepOrder scheduled);

} // namespace graphloom::magis
