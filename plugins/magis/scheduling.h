// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/memory_graph.h"

#include <mutex>
#include <unordered_map>

namespace graphloom::magis {

/// Orders of segments that were looked for already: blocks that repeat are scheduled once. Safe to
/// use from several threads.
class SegmentCache {
public:
    std::optional<std::vector<int>> find(std::uint64_t form) const;
    void add(std::uint64_t form, std::vector<int> order);
    std::size_t hits() const { return m_hits; }

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
};

/// nw(v) of each step: how many others neither have to be earlier nor later (MAGIS 6.1).
std::vector<int> narrowWaists(const MemoryGraph &memory);

/// The peak of an order, in bytes, of all but weights.
std::int64_t peakOf(const MemoryGraph &memory, std::span<const int> order);

/// An order with a low peak: the graph is cut where nw(v) <= 1, and each segment is solved by
/// dynamic programming over its sets of steps (Ahn et al. 2020, "Serenity").
std::vector<int> scheduled(const MemoryGraph &memory, const SchedulingOptions &options,
                           SegmentCache *cache = nullptr);

/// The same for a graph that another one with a known order was made of (Algorithm 2): what is far
/// enough from the change keeps its place. `waists` are narrowWaists(before). Nodes keep their ids.
std::vector<int> rescheduled(const MemoryGraph &before, std::span<const int> orderBefore,
                             std::span<const int> waists, const MemoryGraph &now,
                             const SchedulingOptions &options, SegmentCache *cache = nullptr);

/// Depth first from the outputs: what a step needs comes right before it.
std::vector<int> reversePostOrder(const MemoryGraph &memory);
/// Always the step that adds the fewest bytes, of those that can run.
std::vector<int> leastGrowthOrder(const MemoryGraph &memory);

/// Several orders, each once: the graph's own, reversePostOrder, leastGrowthOrder and scheduled.
std::vector<std::vector<int>> portfolio(const MemoryGraph &memory);

} // namespace graphloom::magis
