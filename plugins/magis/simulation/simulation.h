// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/arrangement.h"

namespace graphloom::magis {

/// What becomes of a tensor between two of its uses.
enum class Policy : std::uint8_t {
    Keep,
    Recompute, // re-materialization: dropped, and computed again before the second use
    Swap,      // stored to the host's memory, and loaded before the second use
};

/// Memory and time of a state.
struct Outcome {
    bool possible = false; // what is computed again may need what is not there any more
    std::int64_t peak = 0; // bytes, of weights and of all that is alive at one time
    double seconds = 0;    // of a run, with what waits for transfers
    int peakStep = -1;     // place in the trace where the peak is reached first
};

/// How a state runs, step by step.
struct Trace {
    struct Run {
        int step, position; // in the arrangement; of steps computed again, that of their reader
        bool again;
        double start, seconds;
        std::int64_t bytes; // alive during it, with weights and the workspace, in whatever part
        std::int64_t workspace = 0; // of its kernel
    };
    /// One life of a buffer: needed from run `first` to run `last`.
    struct Life {
        int buffer, first, last;
        std::int64_t bytes;
        int takesOver = -1; // the life whose memory it takes over
        int loadedFor = -1; // the run that waits for its load; -1: nothing is loaded
        /// Of a fission that is in no other one: what `first` is in its first part, since a sum is
        /// there once it is begun, and `last` in the others, since a store has gone on by then.
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
    std::vector<int> runAt; // by position: the run of its step, not again
};

/// Simulates states: tensors that are computed again come as late as possible, transfers run on
/// two streams beside the kernels, one each way: stores as soon as a tensor is there, loads as late
/// as they are hidden (MAGIS 6.2). A kernel waits for its loads. One object for each thread.
class Simulator {
public:
    Simulator(const MemoryGraph &memory, std::span<const Eviction> evictions);

    /// `policies`: one for each eviction; those that the arrangement does not allow are kept.
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
    /// What a repetition copies once more.
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

    std::vector<int> m_lifeOf;           // by buffer: its life now; -1: none
    std::vector<std::uint8_t> m_gone;    // by buffer: it has been, and is not there
    std::vector<int> m_storeOf;          // by buffer: where it was stored last; -1
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
    std::vector<int> m_runAt; // by position: its run, not again
    std::vector<int> m_storeOrder;
    std::vector<double> m_starts;          // of runs, and the end
    std::vector<std::vector<int>> m_users; // by region: lives that it needs to its end
    std::vector<int> m_begins, m_ends;     // by region: first and last run
    struct Takeover {
        int run, from, to;
    };
    std::vector<Takeover> m_takeovers;
    struct Unused {
        int run;
        std::int64_t bytes;
    };
    std::vector<Unused> m_unused;       // outputs of what is computed again that are still there
    std::vector<std::int64_t> m_change; // by run, and one more
    std::vector<std::int64_t> m_later;  // the same in other parts than the first
    std::vector<std::int64_t> m_saved;  // by run
    bool m_possible = true;
    int m_depth = 0;
    std::vector<int> m_passing; // buffers brought back since the depth was 0
    // By step: buffers it may take over, flattened.
    std::vector<std::uint8_t> m_mayTakeOver;
};

} // namespace graphloom::magis
