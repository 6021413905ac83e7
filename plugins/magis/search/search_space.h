// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Represents a state of the optimization (M-State): which fissions are carried out, in which order
/// steps run, what happens to each tensor between its uses, and the outcome.
struct State {
    std::shared_ptr<const Arrangement> arrangement;
    int order = 0;                // of the portfolio
    std::vector<Policy> policies; // by eviction
    Outcome outcome;
    StateHash hash;
};

/// Represents all states of a graph: possible evictions, the portfolio of orders, and the fissions
/// known so far. Safe to use from several threads.
class SearchSpace {
public:
    /// Finds the evictions of the graph. If stopped, tensors that were not tried yet count as
    /// impossible to compute again.
    SearchSpace(const MemoryGraph &memory, std::vector<std::vector<int>> orders,
                const std::stop_token &stop = {});

    const MemoryGraph &memory() const { return m_memory; }
    FissionTable &fissions() const { return m_fissions; }
    std::span<const Eviction> evictions() const { return m_evictions; }
    /// Returns the evictions of a buffer, which are consecutive: the first one, and one past the
    /// last.
    std::pair<int, int> evictionsOf(int buffer) const
    {
        return {m_firstEviction[std::size_t(buffer)], m_firstEviction[std::size_t(buffer) + 1]};
    }
    /// Returns policies with which nothing is evicted.
    std::vector<Policy> keepAll() const
    {
        return std::vector<Policy>(m_evictions.size(), Policy::Keep);
    }
    /// Tells whether the tensor can be computed again at all, if nothing else is evicted. A
    /// gradient cannot if the weight that it comes through has its new value by then.
    bool canRecompute(int eviction) const { return m_canRecompute[std::size_t(eviction)]; }
    /// Returns the portfolio: the orders that states begin with, named by their places.
    const std::vector<std::vector<int>> &orders() const { return m_orders; }
    /// Returns an order of the portfolio, or one that was added.
    const std::vector<int> &order(int number) const
    {
        const auto n = std::size_t(number);
        return n < m_orders.size() ? m_orders[n] : m_added[n - m_orders.size()];
    }
    /// Adds an order and returns its number. If there is an equal one already, returns the number
    /// of that one. The order must be topological.
    int addOrder(std::vector<int> order) const;

    /// Returns dimensionThrough() of the arguments, computed once.
    std::shared_ptr<const GraphDimension> dimension(TensorId tensor, int dim, bool halos) const;

    /// Returns the arrangement of an order and fissions; null if the fissions do not fit together.
    std::shared_ptr<const Arrangement> arrange(int order,
                                               std::vector<EnabledFission> fissions) const;
    /// Returns the hash of policies, order and fissions by their meaning in the graph: states that
    /// do the same to different tensors with equal history and future have equal hashes.
    StateHash hashOf(int order, const Arrangement &arrangement,
                     std::span<const Policy> policies) const;
    /// Simulates a state. Returns nothing if the state cannot run.
    std::optional<State> evaluate(Simulator &simulator, int order,
                                  std::shared_ptr<const Arrangement> arrangement,
                                  std::vector<Policy> policies) const;

private:
    void findEvictions();
    void tryRecomputing(const std::stop_token &stop);
    void hashSteps();

    const MemoryGraph &m_memory;
    std::vector<std::vector<int>> m_orders;
    mutable tbb::concurrent_vector<std::vector<int>> m_added; // numbers depend on threads
    mutable std::mutex m_adding;
    mutable std::map<std::vector<int>, int> m_numbers; // of orders
    std::vector<Eviction> m_evictions;
    std::vector<int> m_firstEviction; // by buffer, and one more
    std::vector<bool> m_canRecompute;
    std::vector<StateHash> m_evictionHashes; // of Recompute; Swap has another factor
    mutable FissionTable m_fissions;
    struct Key {
        int order;
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
