// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/part_times.h"
#include "plugins/magis/simulation/simulation.h"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <tuple>

namespace graphloom::magis {

/// Hashes a state to 128 bits, so that even among billions of states no two different ones are
/// taken for the same.
struct StateHash {
    std::uint64_t first = 0, second = 0;
    bool operator==(const StateHash &) const = default;
};

/// Counts the orders of a search: those of the portfolio first, then those that are added.
using OrderIndex = TypedIndex<struct OrderTag>;
/// Names the first order of the portfolio, which is the graph's own (portfolio()).
inline constexpr OrderIndex firstOrder{0};

/// Represents a state of the optimization (M-State): which fissions are carried out, in which order
/// steps run, what happens to each tensor between its uses, and the outcome.
struct State {
    std::shared_ptr<const Arrangement> arrangement;
    OrderIndex order = firstOrder;
    Policies policies;
    Outcome outcome;
    StateHash hash;
};

/// Represents all states of a graph: possible evictions, the portfolio of orders, and the fissions
/// known so far. Safe to use from several threads.
class SearchSpace {
public:
    /// Finds the evictions of the graph. If stopped, tensors that were not tried yet count as
    /// impossible to compute again.
    SearchSpace(const MemoryGraph &memory, std::vector<StepOrder> orders,
                const std::stop_token &stop = {});

    const MemoryGraph &memory() const { return m_memory; }
    FissionTable &fissions() const { return m_fissions; }
    const Evictions &evictions() const { return m_evictions; }
    /// Returns the evictions of a buffer, which are consecutive.
    IndexRange<EvictionIndex> evictionsOf(BufferIndex buffer) const
    {
        return {m_firstEviction[buffer], m_firstEviction[buffer + 1]};
    }
    /// Returns policies with which nothing is evicted.
    Policies keepAll() const { return Policies(m_evictions.size(), Policy::Keep); }
    /// Tells whether the tensor can be computed again at all, if nothing else is evicted. A
    /// gradient cannot if the weight that it comes through has its new value by then.
    bool canRecompute(EvictionIndex eviction) const { return m_canRecompute[eviction]; }
    /// Returns the portfolio: the orders that states begin with.
    const IndexedVector<OrderIndex, StepOrder> &orders() const { return m_orders; }
    /// Returns an order of the portfolio, or one that was added.
    const StepOrder &order(OrderIndex index) const
    {
        return m_orders.contains(index) ? m_orders[index]
                                        : m_added[std::size_t(index - m_orders.nextIndex())];
    }
    /// Adds an order and returns its index. If there is an equal one already, returns the index of
    /// that one. The order must be topological.
    OrderIndex addOrder(StepOrder order) const;

    /// Returns dimensionThrough() of the arguments, computed once.
    std::shared_ptr<const GraphDimension> dimension(TensorId tensor, int dim, bool halos) const;

    /// Returns the arrangement of an order and fissions; null if the fissions do not fit together.
    std::shared_ptr<const Arrangement> arrange(OrderIndex order,
                                               std::vector<EnabledFission> fissions) const;
    /// Returns the hash of policies, order and fissions by their meaning in the graph: states that
    /// do the same to different tensors with equal history and future have equal hashes.
    StateHash hashOf(OrderIndex order, const Arrangement &arrangement,
                     const Policies &policies) const;
    /// Simulates a state. Returns nothing if the state cannot run. `times`, which may be null, gets
    /// the time that it takes.
    std::optional<State> evaluate(Simulator &simulator, OrderIndex order,
                                  std::shared_ptr<const Arrangement> arrangement, Policies policies,
                                  PartTimes *times = nullptr) const;

private:
    void findEvictions();
    void tryRecomputing(const std::stop_token &stop);
    void hashSteps();

    const MemoryGraph &m_memory;
    IndexedVector<OrderIndex, StepOrder> m_orders;
    mutable tbb::concurrent_vector<StepOrder> m_added; // indices depend on threads
    mutable std::mutex m_adding;
    mutable std::map<StepOrder::Elements, OrderIndex> m_known;
    Evictions m_evictions;
    IndexedVector<BufferIndex, EvictionIndex> m_firstEviction; // and one past the last
    IndexedVector<EvictionIndex, bool> m_canRecompute;
    /// Hashes of Recompute; Swap has another factor.
    IndexedVector<EvictionIndex, StateHash> m_evictionHashes;
    mutable FissionTable m_fissions;
    struct Key {
        OrderIndex order;
        std::vector<EnabledFission> fissions;
        auto operator<=>(const Key &) const = default;
    };
    mutable ArrangementPool m_pool;
    mutable std::shared_mutex m_mutex;
    mutable std::map<Key, std::shared_ptr<const Arrangement>> m_arrangements;
    mutable std::map<std::tuple<TensorId, int, bool>, std::shared_ptr<const GraphDimension>>
        m_dimensions;
};

} // namespace graphloom::magis
