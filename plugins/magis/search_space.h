// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation.h"

#include <shared_mutex>
#include <tuple>

namespace graphloom::magis {

/// 128 bits: among billions of states no two that differ are taken for the same.
struct StateHash {
    std::uint64_t first = 0, second = 0;
    bool operator==(const StateHash &) const = default;
};

/// A state of the optimization (M-State): which fissions are carried out, in which order steps run,
/// what becomes of each tensor between its uses, and what that gives.
struct State {
    std::shared_ptr<const Arrangement> arrangement;
    int order = 0;                // of the portfolio
    std::vector<Policy> policies; // by eviction
    Outcome outcome;
    StateHash hash;
};

/// All states of a graph: what can be evicted, the portfolio of orders, and the fissions known so
/// far. Safe to use from several threads.
class SearchSpace {
public:
    SearchSpace(const MemoryGraph &memory, std::vector<std::vector<int>> orders);

    const MemoryGraph &memory() const { return m_memory; }
    FissionTable &fissions() const { return m_fissions; }
    std::span<const Eviction> evictions() const { return m_evictions; }
    /// Policies with which nothing is evicted.
    std::vector<Policy> keepAll() const
    {
        return std::vector<Policy>(m_evictions.size(), Policy::Keep);
    }
    /// Can the tensor be computed again at all, if nothing else is evicted? A gradient cannot where
    /// the weight that it comes through has its new value by then.
    bool canRecompute(int eviction) const { return m_canRecompute[std::size_t(eviction)]; }
    const std::vector<std::vector<int>> &orders() const { return m_orders; }

    /// dimensionThrough(), found once.
    std::shared_ptr<const GraphDimension> dimension(TensorId tensor, int dim, bool halos) const;

    /// Null when the fissions do not fit together.
    std::shared_ptr<const Arrangement> arrange(int order,
                                               std::vector<EnabledFission> fissions) const;
    /// Of policies, order and fissions, with what they mean in the graph: a state that does the
    /// same to another tensor with equal history and future has the same.
    StateHash hashOf(int order, const Arrangement &arrangement,
                     std::span<const Policy> policies) const;
    /// None where the state cannot run.
    std::optional<State> evaluate(Simulator &simulator, int order,
                                  std::shared_ptr<const Arrangement> arrangement,
                                  std::vector<Policy> policies) const;

private:
    void findEvictions();
    void tryRecomputing();
    void hashSteps();

    const MemoryGraph &m_memory;
    std::vector<std::vector<int>> m_orders;
    std::vector<Eviction> m_evictions;
    std::vector<bool> m_canRecompute;
    std::vector<StateHash> m_evictionHashes; // of Recompute; Swap has another factor
    mutable FissionTable m_fissions;
    struct Key {
        int order;
        std::vector<EnabledFission> fissions;
        auto operator<=>(const Key &) const = default;
    };
    mutable std::shared_mutex m_mutex;
    mutable std::map<Key, std::shared_ptr<const Arrangement>> m_arrangements;
    mutable std::map<std::tuple<TensorId, int, bool>, std::shared_ptr<const GraphDimension>>
        m_dimensions;
};

} // namespace graphloom::magis
