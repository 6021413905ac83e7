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

/// Holds memory and time of a state.
struct Outcome {
    bool possible = false; // false if computing a tensor again needs one that is gone
    std::int64_t peak = 0; // bytes of weights and of all buffers alive at one time
    double seconds = 0;    // of a run, including waits for transfers
    int peakStep = -1;     // place in the trace where the peak is reached first
};

/// Records how a state runs, step by step.
struct Trace {
    struct Run {
        int step, position; // in the arrangement; for steps computed again, that of the reader
        bool again;
        double start, seconds;
        std::int64_t bytes; // alive meanwhile in the largest part, with weights and workspace
        std::int64_t workspace = 0; // of its kernel
    };
    /// One lifetime of a buffer: needed from run `first` to run `last`.
    struct Life {
        int buffer, first, last;
        std::int64_t bytes;
        int takesOver = -1; // the lifetime whose memory it takes over
        int loadedFor = -1; // the run that waits for its load; -1: nothing is loaded
        /// Differences between the parts of an outermost fission: `first` in its first part, since
        /// a sum is alive only once it is begun, and `last` in the parts after the first, since a
        /// store has advanced by then.
        int firstInFirst, lastLater;
    };
    struct Transfer {
        int buffer;
        bool load;
        double start, end;
    };
    std::vector<Run> runs;
    std::vector<Life> lives;
    std::vector<Transfer> transfers;
    std::vector<int> runAt; // by position: the first run of its step
};

/// Simulates states. Tensors are computed again as late as possible. Transfers run on two streams
/// in parallel with the kernels, one in each direction: stores start as soon as a tensor is
/// computed, loads as late as kernels still hide them (MAGIS 6.2). A kernel waits for its loads.
/// Each thread needs an object of its own.
class Simulator {
public:
    Simulator(const MemoryGraph &memory, std::span<const Eviction> evictions);

    /// Simulates a state. `policies` has one entry for each eviction; tensors whose evictions the
    /// arrangement does not allow are kept.
    Outcome run(const Arrangement &arrangement, std::span<const Policy> policies,
                Trace *trace = nullptr);

private:
    struct Life {
        int buffer, first, last;
        std::int64_t bytes;
        int firstInFirst, lastLater; // as in Trace; `lastLater` -1: as `last`
    };
    struct Store {
        int life, ready;
        double start = 0, end = 0;
    };
    struct Load {
        int life, need;
        int store;
        double latest = 0, start = 0, end = 0;
    };

    void walk();
    bool execute(int position, int region, int at, bool again);
    bool bring(int buffer, int region, int at);
    void use(int life, int region);
    void begin(int buffer, int region, int run);
    void drop(int position);
    /// Returns the copies that a repeated step makes anew.
    std::span<const Arrangement::Copy> copiesOf(int run) const;
    double secondsOf(int run) const
    {
        const Run &of = m_runs[std::size_t(run)];
        const double seconds = m_arrangement->seconds(of.position);
        return of.again ? seconds + secondsOfCopies(run) : seconds;
    }
    double secondsOfCopies(int run) const;
    int readyAt(int buffer, int first) const;
    void transfer();
    enum class Part { First, Second, Last };
    int runAt(double time, int scope, Part part) const;
    void tally(Outcome &outcome, Trace *trace);

    const MemoryGraph &m_memory;
    std::span<const Eviction> m_evictions;
    const Arrangement *m_arrangement = nullptr;
    std::span<const Policy> m_policies;

    std::vector<int> m_lifeOf;           // by buffer: its present lifetime; -1: none
    std::vector<std::uint8_t> m_gone;    // by buffer: it was in memory, but is not any more
    std::vector<int> m_storeOf;          // by buffer: its last store; -1: none
    std::vector<std::uint8_t> m_updated; // by buffer: a weight that has its new value
    std::vector<Life> m_lives;
    std::vector<Store> m_stores;
    std::vector<Load> m_loads;
    struct Run {
        int position;
        int at; // position reached by the walk
        bool again;
    };
    std::vector<Run> m_runs;  // in the order of execution
    std::vector<int> m_runAt; // by position: its first run
    std::vector<int> m_storeOrder;
    std::vector<double> m_starts;          // start of each run, and the end of the last one
    std::vector<std::vector<int>> m_users; // by region: lifetimes that it needs until its end
    std::vector<int> m_begins, m_ends;     // by region: first and last run
    struct Takeover {
        int run, from, to;
    };
    std::vector<Takeover> m_takeovers;
    struct Unused {
        int run;
        std::int64_t bytes;
    };
    std::vector<Unused> m_unused;       // outputs of repeated steps that are still in memory
    std::vector<std::int64_t> m_change; // change of bytes alive, by run and one past the last
    std::vector<std::int64_t> m_later;  // the same for parts other than the first
    std::vector<std::int64_t> m_saved;  // bytes taken over, by run
    bool m_possible = true;
    int m_depth = 0;
    std::vector<int> m_passing; // buffers brought back since the depth was 0
    // By step: buffers it may take over, flattened.
    std::vector<std::uint8_t> m_mayTakeOver;
};

} // namespace graphloom::magis
