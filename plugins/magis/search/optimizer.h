// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/search/archive_search.h"
#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/search_space.h"

#include <limits>
#include <tbb/enumerable_thread_specific.h>

template <> struct std::hash<graphloom::magis::StateHash> {
    std::size_t operator()(const graphloom::magis::StateHash &state) const { return state.first; }
};

namespace graphloom::magis {

/// Holds the limits that are asked for; 0 means no limit.
struct Limits {
    double seconds = 0;     // of a run; 0: none
    std::int64_t bytes = 0; // at the peak; 0: none
};

/// Selects the moves besides those of single fissions and evictions.
struct SearchMoves {
    int levels = 4; // L of Algorithm 1
    /// Most calls of a state, each part of a fission counted, unless the locked fissions alone have
    /// more.
    std::int64_t mostCalls = std::numeric_limits<std::int64_t>::max();
    /// Runs Algorithm 1 again for the hot-spots of states (Analyze of Algorithm 3).
    bool analyses = true;
    /// Runs Algorithm 2 for states that stay near the limits.
    bool reschedules = true;
    /// Takes regions for fission from F-Trees and around peaks; if not, at random, as the paper's
    /// naive-fission does (section 7.2.5, without H1).
    bool choosesRegions = true;
    /// Evicts where memory is needed most; if not, anywhere at random, as the paper's
    /// naive-sch-rules does (without H2).
    bool choosesEvictions = true;
    std::stop_token stop = {}; // ends analyses and schedules, which take longer than other moves
};

/// Defines for ArchiveSearch the problem that MAGIS' Algorithm 3 solves: latency against peak
/// memory. A state's moves are the F-Tree mutations (section 5.1), re-materialization and swapping
/// and their inverses (5.2), many of them at once where single ones gain nothing (lowering.h), and
/// other orders. If hot-spots have moved, the F-Tree is built again (4.3), and states that stay for
/// a while are scheduled again (6.1).
class Optimization {
public:
    using State = magis::State;
    using Hash = StateHash;

    /// Sets up the problem. Costs are compared with `before`; `candidates` are the fissions to
    /// begin with.
    Optimization(const SearchSpace &space, Outcome before, std::vector<Limits> interests,
                 std::uint64_t seed, std::vector<FissionIndex> candidates = {},
                 const SearchMoves &moves = {});

    /// Makes every state from now on have these fissions, with these numbers of parts; those with
    /// number 1 are never carried out. Must be called before searching.
    void lock(std::vector<EnabledFission> locks);
    /// Tells whether the state has the locked fissions.
    bool keepsLocks(const State &state) const;

    std::pair<double, double> costs(const State &state) const
    {
        return {state.outcome.seconds, double(state.outcome.peak)};
    }
    StateHash hash(const State &state) const { return state.hash; }
    std::vector<State> expand(const State &state, std::uint64_t visit) const;
    /// Makes fissions of states that were good enough candidates for other states, too. Must not be
    /// called while states expand.
    void accepted(const State &state);
    /// Returns the niche of a state: the parts that the tree's outermost fissions make, and whether
    /// there are others inside.
    std::uint64_t niche(const State &state) const;
    /// Returns how far a point is from the nearest limit of interest; smaller is more interesting.
    double interest(double seconds, double bytes) const;
    /// Returns the mean, over the limits of interest, of the best other cost as a share of what it
    /// was before; a limit that no state keeps counts as 10.
    double objective(const ParetoArchive<State> &archive) const;

    /// Returns the time that the parts of expanding states have taken so far, on all threads.
    const PartTimes &times() const { return m_times; }
    /// Returns the number of states simulated so far.
    std::uint64_t simulated() const { return m_simulated.load(std::memory_order_relaxed); }

    /// Returns the states to begin with: the unchanged one, checkpoints, and every number of parts
    /// of the fissions that are known, for each order. Once the options' clock passes `until`
    /// seconds (0: no limit) or the run is stopped, the least promising ones are left out: large
    /// numbers and other orders.
    std::vector<State> seeds(const SearchOptions &options, double until) const;
    /// Returns the state in which only the locked fissions are carried out. Returns nothing if that
    /// is not possible.
    std::optional<State> unoptimized(OrderIndex order) const;
    /// Returns the state in which tensors that are checkpoints are kept and all others are computed
    /// again (Chen et al. 2016). Every `interval`-th tensor of those that can be computed again is
    /// a checkpoint.
    std::optional<State> checkpointed(OrderIndex order, std::vector<EnabledFission> fissions,
                                      int interval) const;

private:
    /// Holds the data that one thread works with; its lists keep their memory from state to state.
    struct Workspace {
        Simulator simulator;
        Trace trace, other;
    };
    struct Expansion;
    Workspace &workspace() const { return m_workspaces.local(); }
    /// Returns the arrangement with the locks, too; null if it does not fit or has too many calls.
    std::shared_ptr<const Arrangement> arrange(OrderIndex order,
                                               std::vector<EnabledFission> fissions) const;
    /// Returns the state with one fission and nothing else changed.
    std::optional<State> split(OrderIndex order, EnabledFission fission) const;
    void addFissionMoves(Expansion &expansion) const;
    std::vector<EnabledFission> withForm(const std::vector<EnabledFission> &enabled,
                                         FissionIndex fission, const Cutting &cutting,
                                         bool replaces,
                                         std::span<const FissionIndex> candidates) const;
    void addPolicyMoves(Expansion &expansion) const;
    void addEvictionsAnywhere(Expansion &expansion) const;
    void addAnalysis(Expansion &expansion) const;
    void addSchedule(Expansion &expansion) const;
    bool evaluate(Expansion &expansion, OrderIndex order, std::vector<EnabledFission> fissions,
                  Policies policies) const;
    bool evaluate(Expansion &expansion, OrderIndex order,
                  std::shared_ptr<const Arrangement> arrangement, Policies policies) const;

    const SearchSpace &m_space;
    Outcome m_before;
    std::vector<Limits> m_interests;
    std::uint64_t m_seed;
    std::vector<EnabledFission> m_locks;
    /// Fissions to try, in an order that does not depend on threads.
    std::vector<FissionIndex> m_candidates;
    SearchMoves m_moves;
    mutable std::atomic<std::uint64_t> m_simulated = 0;
    mutable PartTimes m_times;
    mutable tbb::enumerable_thread_specific<Workspace> m_workspaces;
    mutable SegmentCache m_segments;
};

} // namespace graphloom::magis
