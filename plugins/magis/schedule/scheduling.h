// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_walk.h"

#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_map>

namespace graphloom::magis {

/// Orders of segments that were looked for already: blocks that repeat are scheduled once. Safe to
/// use from several threads.
class SegmentCache {
public:
    std::optional<std::vector<int>> find(std::uint64_t form) const;
    void add(std::uint64_t form, std::vector<int> order);
    std::size_t hits() const;

private:
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint64_t, std::vector<int>> m_orders;
    mutable std::size_t m_hits = 0;
};

/// Bounds of Algorithm 2; the paper's values.
struct SchedulingOptions {
    int longest = 20; // steps by which the interval grows on each side
    int loose = 10;   // it grows while the waist is wider than this…
    int narrow = 4;   // …or than this, as long as it gets narrower
    /// Sets of steps that the dynamic program keeps at one time; more than these, it keeps those
    /// with the lowest peaks.
    std::size_t states = 2048;
    std::stop_token stop = {}; // once it is requested, steps stay in the order they have
};

/// nw(v) of each step: how many others neither have to be earlier nor later (MAGIS 6.1).
std::vector<int> narrowWaists(const StepGraph &memory);

/// The peak of an order, in bytes, of all but weights.
std::int64_t peakOf(const StepGraph &memory, std::span<const int> order);

/// An order with a low peak: the graph is cut where nw(v) <= 1, and each segment is solved by
/// dynamic programming over its sets of steps (Ahn et al. 2020, "Serenity"), long ones piece by
/// piece; then once more around the peak. Never a higher peak than that of the graph's own order.
std::vector<int> scheduled(const StepGraph &memory, const SchedulingOptions &options,
                           SegmentCache *cache = nullptr);

/// Orders steps that are all behind those done, and counts them as done: GraphPartition and
/// DpSchedule of Algorithm 2. The steps are in a topological order.
std::vector<int> scheduledBehind(const StepGraph &memory, std::span<const int> steps,
                                 std::vector<bool> &done, const SchedulingOptions &options,
                                 SegmentCache *cache);

/// Places of an order, both included.
struct Places {
    int first, last;
};
/// Schedules again around the peak of an order, and around the next one, as long as that helps and
/// the pieces hold places that have changed: all others were solved before.
void lowerPeaks(const StepGraph &memory, std::vector<int> &order, Places changed,
                const SchedulingOptions &options, SegmentCache *cache);

/// The same as scheduled() for a graph that another one with a known order was made of (Algorithm
/// 2): what is far enough from the change keeps its place. `waists` are narrowWaists(before). Nodes
/// keep their ids. What has to move is searched for a better order only where its peak is above
/// that of everything that keeps its place, which no other order of it could lower; then, beyond
/// the paper, what is around the peak, if the change is.
std::vector<int> rescheduled(const MemoryGraph &before, std::span<const int> orderBefore,
                             std::span<const int> waists, const MemoryGraph &now,
                             const SchedulingOptions &options, SegmentCache *cache = nullptr);

/// Depth first from the outputs: what a step needs comes right before it.
std::vector<int> reversePostOrder(const StepGraph &memory);
/// Always the step that adds the fewest bytes, of those that can run.
std::vector<int> leastGrowthOrder(const StepGraph &memory);
/// The same for some steps only, behind those that the walk has run.
std::vector<int> leastGrowthOrder(const StepGraph &memory, std::span<const int> steps,
                                  MemoryWalk walk);

/// Several orders, each once: the graph's own, reversePostOrder, leastGrowthOrder and one more.
std::vector<std::vector<int>> portfolio(const StepGraph &memory, std::vector<int> scheduled);

} // namespace graphloom::magis
