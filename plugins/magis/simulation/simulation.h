// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/arrangement.h"

namespace graphloom::magis {

/// Selects what happens to a tensor between two of its uses.
enum class Policy : std::uint8_t {
    Keep,
    Recompute, // re-materialization: dropped, and computed again before the second use
    Swap,      // stored to the host's memory, and loaded before the second use
};

/// Hold what happens to each tensor that may be evicted.
using Policies = IndexedVector<EvictionIndex, Policy>;

/// Counts the steps that a state runs, in the order of execution, with those computed again.
using RunIndex = TypedIndex<struct RunTag>;
/// Counts the lifetimes of buffers, in the order in which they begin.
using LifeIndex = TypedIndex<struct LifeTag>;

/// Holds memory and time of a state.
struct Outcome {
    bool possible = false; // false if computing a tensor again needs one that is gone
    std::int64_t peak = 0; // bytes of weights and of all buffers alive at one time
    double seconds = 0;    // of a run, including waits for transfers
    RunIndex peakRun;      // the first one that reaches the peak
};

/// Records how a state runs, step by step.
struct Trace {
    struct Run {
        StepIndex step;
        Position position; // in the arrangement; for steps computed again, that of the reader
        bool again;
        double start, seconds;
        std::int64_t bytes; // alive meanwhile in the largest part, with weights and workspace
        std::int64_t workspace = 0; // of its kernel
    };
    /// One lifetime of a buffer: needed from run `first` to run `last`.
    struct Life {
        BufferIndex buffer;
        RunIndex first, last;
        std::int64_t bytes;
        LifeIndex takesOver; // the lifetime whose memory it takes over
        RunIndex loadedFor;  // the run that waits for its load; invalid: nothing is loaded
        /// Differences between the parts of an outermost fission: `first` in its first part, since
        /// a sum is alive only once it is begun, and `last` in the parts after the first, since a
        /// store has advanced by then.
        RunIndex firstInFirst, lastLater;
    };
    struct Transfer {
        BufferIndex buffer;
        bool load;
        double start, end;
    };
    IndexedVector<RunIndex, Run> runs;
    IndexedVector<LifeIndex, Life> lives;
    std::vector<Transfer> transfers;
    IndexedVector<Position, RunIndex> runAt; // the first run of the step at the position
};

/// Simulates states. Tensors are computed again as late as possible. Transfers run on two streams
/// in parallel with the kernels, one in each direction: stores start as soon as a tensor is
/// computed, loads as late as kernels still hide them (MAGIS 6.2). A kernel waits for its loads.
/// Each thread needs an object of its own.
class Simulator {
public:
    Simulator(const MemoryGraph &memory, const Evictions &evictions);

    /// Simulates a state. Tensors whose evictions the arrangement does not allow are kept.
    Outcome run(const Arrangement &arrangement, const Policies &policies, Trace *trace = nullptr);

private:
    /// Counts the stores of a run, in the order in which tensors are evicted.
    using StoreIndex = TypedIndex<struct StoreTag>;

    struct Life {
        BufferIndex buffer;
        RunIndex first, last;
        std::int64_t bytes;
        RunIndex firstInFirst, lastLater; // as in Trace; `lastLater` invalid: as `last`
    };
    struct Store {
        LifeIndex life;
        RunIndex ready;
        double start = 0, end = 0;
    };
    struct Load {
        LifeIndex life;
        RunIndex need;
        StoreIndex store;
        double latest = 0, start = 0, end = 0;
    };

    void walk();
    bool execute(Position position, RegionIndex region, Position at, bool again);
    bool bring(BufferIndex buffer, RegionIndex region, Position at);
    void use(LifeIndex life, RegionIndex region);
    void begin(BufferIndex buffer, RegionIndex region, RunIndex run);
    void drop(Position position);
    void forget(BufferIndex buffer);
    /// Returns the copies that a repeated step makes anew.
    std::span<const Arrangement::Copy> copiesOf(RunIndex run) const;
    double secondsOf(RunIndex run) const
    {
        const Run &of = m_runs[run];
        const double seconds = m_arrangement->seconds(of.position);
        return of.again ? seconds + secondsOfCopies(run) : seconds;
    }
    double secondsOfCopies(RunIndex run) const;
    RunIndex readyAt(BufferIndex buffer, RunIndex first) const;
    void transfer();
    enum class Part { First, Second, Last };
    RunIndex runAt(double time, RegionIndex scope, Part part) const;
    RunIndex lastBegun(RunIndex first, RunIndex end, double time) const;
    void sumChanges();
    void takeOver(Trace *trace);
    void record(Trace &trace) const;
    void tally(Outcome &outcome, Trace *trace);

    const MemoryGraph &m_memory;
    IndexedSpan<EvictionIndex, const Eviction> m_evictions;
    const Arrangement *m_arrangement = nullptr;
    IndexedSpan<EvictionIndex, const Policy> m_policies;

    IndexedVector<BufferIndex, LifeIndex> m_lifeOf;     // the present lifetime
    IndexedVector<BufferIndex, std::uint8_t> m_gone;    // it was in memory, but is not any more
    IndexedVector<BufferIndex, StoreIndex> m_storeOf;   // the last store
    IndexedVector<BufferIndex, std::uint8_t> m_updated; // a weight that has its new value
    IndexedVector<LifeIndex, Life> m_lives;
    IndexedVector<StoreIndex, Store> m_stores;
    std::vector<Load> m_loads;
    struct Run {
        Position position;
        Position at; // position reached by the walk
        bool again;
    };
    IndexedVector<RunIndex, Run> m_runs;       // in the order of execution
    IndexedVector<Position, RunIndex> m_runAt; // the first run of the step at the position
    std::vector<StoreIndex> m_storeOrder;
    IndexedVector<RunIndex, double> m_starts; // start of each run, and the end of the last one
    /// Lifetimes that the region needs until its end.
    IndexedVector<RegionIndex, std::vector<LifeIndex>> m_users;
    IndexedVector<RegionIndex, RunIndex> m_begins, m_ends; // first and last run
    struct Takeover {
        RunIndex run;
        LifeIndex from, to;
    };
    std::vector<Takeover> m_takeovers;
    struct Unused {
        RunIndex run;
        std::int64_t bytes;
    };
    std::vector<Unused> m_unused; // outputs of repeated steps that are still in memory
    IndexedVector<RunIndex, std::int64_t> m_change; // change of bytes alive; one past the last, too
    IndexedVector<RunIndex, std::int64_t> m_later;  // the same for parts other than the first
    IndexedVector<RunIndex, std::int64_t> m_saved;  // bytes taken over
    bool m_possible = true;
    int m_depth = 0;
    std::vector<BufferIndex> m_passing;                   // brought back since the depth was 0
    IndexedVector<StepIndex, std::uint8_t> m_mayTakeOver; // it may take over some buffer
};

} // namespace graphloom::magis
