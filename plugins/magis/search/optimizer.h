// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/search/archive_search.h"
#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/search_space.h"

#include <tbb/enumerable_thread_specific.h>

template <> struct std::hash<graphloom::magis::StateHash> {
    std::size_t operator()(const graphloom::magis::StateHash &state) const { return state.first; }
};

namespace graphloom::magis {

/// What is asked for; what is not asked for is not limited.
struct Limits {
    double seconds = 0;     // of a run; 0: none
    std::int64_t bytes = 0; // at the peak; 0: none
};

/// Which moves there are beside those of single fissions and evictions.
struct SearchMoves {
    int levels = 4; // L of Algorithm 1
    /// Algorithm 1 again for the hot-spots of states (Analyze of Algorithm 3).
    bool analyses = true;
    /// Algorithm 2 for states that stay near what is asked for.
    bool reschedules = true;
    std::stop_token stop = {}; // ends analyses and schedules, which take longer than other moves
};

/// The problem that MAGIS' Algorithm 3 solves, for ArchiveSearch: latency against peak memory. A
/// state's moves are the F-Tree mutations (section 5.1), re-materialization and swapping and their
/// inverses (5.2), many of them at once where it takes many (lowering.h), and other orders. Where
/// hot-spots have moved the F-Tree is found again (4.3), and what stays for a while is scheduled
/// again (6.1).
class Optimization {
public:
    using State = magis::State;
    using Hash = StateHash;

    /// `before`: what costs are compared with. `candidates`: fissions to begin with.
    Optimization(const SearchSpace &space, Outcome before, std::vector<Limits> interests,
                 std::uint64_t seed, std::vector<int> candidates = {},
                 const SearchMoves &moves = {});

    /// From now on every state has these fissions, with these numbers of parts; those with number 1
    /// are never carried out. Before anything is searched.
    void lock(std::vector<EnabledFission> locks) { m_locks = std::move(locks); }
    /// Has the state what is locked?
    bool keepsLocks(const State &state) const;

    std::pair<double, double> costs(const State &state) const
    {
        return {state.outcome.seconds, double(state.outcome.peak)};
    }
    StateHash hash(const State &state) const { return state.hash; }
    std::vector<State> expand(const State &state, std::uint64_t visit) const;
    /// Fissions of states that were good enough are tried in others, too. Not while states expand.
    void accepted(const State &state);
    /// By the parts that the tree's outermost fissions make, and whether there are others inside.
    std::uint64_t niche(const State &state) const;
    double interest(double seconds, double bytes) const;
    /// The mean, over what is asked for, of the other cost as a share of what it was before; 10
    /// where there is nothing within the limit.
    double objective(const ParetoArchive<State> &archive) const;

    /// States simulated so far.
    std::uint64_t simulated() const { return m_simulated.load(std::memory_order_relaxed); }

    /// States to begin with: none of both costs changed, checkpoints, every number of the fissions
    /// that are known. Where the options' clock passes `until` seconds (0: no limit), or when the
    /// run is stopped, those are left out that promise least: large numbers and other orders.
    std::vector<State> seeds(const SearchOptions &options, double until) const;
    /// Nothing is done but what is locked; none where that cannot be.
    std::optional<State> unoptimized(int order) const;
    /// Tensors that are checkpoints are kept, all others computed again (Chen et al. 2016): every
    /// so many-th tensor of those that all paths go through.
    std::optional<State> checkpointed(int order, std::vector<EnabledFission> fissions,
                                      int interval) const;

private:
    /// What one thread works with; lists keep their memory from state to state.
    struct Workspace {
        Simulator simulator;
        Trace trace, other;
    };
    struct Expansion;
    Workspace &workspace() const { return m_workspaces.local(); }
    std::shared_ptr<const Arrangement> arrange(int order,
                                               std::vector<EnabledFission> fissions) const;
    /// With one fission, and nothing else changed.
    std::optional<State> split(int order, EnabledFission fission) const;
    void addFissionMoves(Expansion &expansion) const;
    std::vector<EnabledFission> withForm(const std::vector<EnabledFission> &enabled, int fission,
                                         const Cutting &cutting, bool replaces,
                                         std::span<const int> candidates) const;
    void addPolicyMoves(Expansion &expansion) const;
    void addAnalysis(Expansion &expansion) const;
    void addSchedule(Expansion &expansion) const;
    bool evaluate(Expansion &expansion, int order, std::vector<EnabledFission> fissions,
                  std::vector<Policy> policies) const;
    bool evaluate(Expansion &expansion, int order, std::shared_ptr<const Arrangement> arrangement,
                  std::vector<Policy> policies) const;

    const SearchSpace &m_space;
    Outcome m_before;
    std::vector<Limits> m_interests;
    std::uint64_t m_seed;
    std::vector<EnabledFission> m_locks;
    /// Fissions to try, in an order that does not depend on threads.
    std::vector<int> m_candidates;
    SearchMoves m_moves;
    mutable std::atomic<std::uint64_t> m_simulated = 0;
    mutable tbb::enumerable_thread_specific<Workspace> m_workspaces;
    mutable SegmentCache m_segments;
};

} // namespace graphloom::magis
