// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/figure.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// Peak memory and latency of one way to run a graph; both modelled.
struct MemoryPoint {
    double ms = 0;
    std::int64_t peakBytes = 0;
    std::string origin; // what it is: "search", "micro-batching with 4 parts"
};

/// How a graph runs in less memory: what a pass like magis decides, beside the graph itself.
/// All figures are modelled for the named device, latencies as sums over the calls, which may have
/// been measured one by one.
struct MemoryPlan {
    /// A step of the schedule, and what is in memory meanwhile.
    struct Step {
        std::string node;
        double startMs = 0, ms = 0; // of all parts that it is done in
        std::int64_t bytes = 0;     // with the workspace
        bool again = false;         // computes what was dropped before (re-materialization)
        std::int64_t workspace = 0; // of its kernel alone: partial sums of a product
    };
    /// One life of a tensor in memory: from step `first` to step `last`, at an offset in the arena.
    struct Life {
        std::string tensor;
        std::uint32_t first = 0, last = 0;
        std::int64_t bytes = 0, offset = 0;
    };
    struct Transfer {
        std::string tensor;
        bool load = false; // else a store
        double startMs = 0, endMs = 0;
    };
    /// A node of the F-Tree (MAGIS 4.3).
    struct Fission {
        std::string dimension;   // that is cut
        std::string first, last; // of its nodes, in the order of the graph
        std::size_t nodes = 0;
        int parent = -1;       // in the list
        int number = 1;        // parts; 1: a candidate that is not carried out
        std::int64_t most = 1; // parts that are possible
        /// All its nodes, in the order of the graph; those without a name by their first output.
        std::vector<std::string> names;
        std::vector<int> numbers; // of parts that may be chosen, ascending; 1 is first
        /// Eq. 3 and 4 with n = 2, in bytes; the hot-spots are those of the graph's own order.
        double heat = 0, score = 0;
        /// The plan with this alone changed: not carried out any more, or in its least number of
        /// parts. Where that cannot be, the origin says why.
        MemoryPoint changed;
        bool locked = false; // chosen by hand: searches that go on keep its number
    };
    struct Baseline {
        std::string name;
        std::vector<MemoryPoint> points;
        /// The best that it reaches within what was asked for; without an origin: it does not.
        MemoryPoint best;
        bool rewritten = false; // of the graph that `rewritten` is of, not of the one that came
    };

    /// What the latencies are made of.
    struct Times {
        struct Problem {
            std::string node, reason;
        };
        /// Distinct calls of the graph that were run on the device, and those that were not.
        std::size_t measured = 0, modelled = 0;
        /// Distinct parts of calls in the plan: run themselves; modelled and scaled as parts of
        /// other sizes, or the whole calls, were measured; modelled.
        std::size_t partsMeasured = 0, partsScaled = 0, partsModelled = 0;
        double shareBefore = 0, share = 0; // of the kernels' time that was measured
        std::vector<Problem> problems;     // why a call or part was not, of each distinct one
    };

    std::string device;
    Times times;
    MemoryPoint before, after; // before: the graph as it came, in its own order
    /// The fastest graph that rewriting alone makes, in its own order, without any decision about
    /// memory; the one that came where none is faster.
    MemoryPoint rewritten;
    /// What limits of latency are shares of: the faster of the two, unless it was asked otherwise.
    double referenceMs = 0;
    std::int64_t residentBytes = 0; // weights
    std::int64_t arenaBytes = 0;    // weights, and an arena with an offset for everything else
    std::vector<Step> stepsBefore, steps;
    std::vector<Life> lives;
    std::vector<Transfer> transfers;
    std::vector<Fission> fissions;
    std::vector<Baseline> baselines;
    std::vector<MemoryPoint> front;          // none is worse than another in both
    std::size_t recomputed = 0, swapped = 0; // tensors
    /// Nodes of the graph that were taken apart or merged before the search.
    std::vector<std::string> changes;
    bool limitsMet = true;
    std::int64_t workspaceBytes = 0; // the largest workspace of a step
    bool realized = false;           // the plan's graph has the parts and repetitions as nodes
    std::string unrealized;          // why it has not, and what to do
    /// The decisions as the pass knows them, to change them by hand; see Context::edit.
    std::string state;
};

} // namespace graphloom
