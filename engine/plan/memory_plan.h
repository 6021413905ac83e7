// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/figure.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// Holds peak memory and latency of one way to run a graph; both modelled.
struct MemoryPoint {
    double ms = 0;
    std::int64_t peakBytes = 0;
    std::string origin; // where it comes from: "search", "micro-batching with 4 parts"
};

/// Describes how a graph runs in less memory: the decisions of a pass like magis, next to the graph
/// itself. All figures are modelled for the named device; latencies are sums over the calls, which
/// may have been measured one by one.
struct MemoryPlan {
    /// Describes a step of the schedule and the memory in use meanwhile.
    struct Step {
        std::string node;
        double startMs = 0, ms = 0; // for all its parts together
        std::int64_t bytes = 0;     // with the workspace
        bool again = false;         // recomputes a dropped tensor (rematerialization)
        std::int64_t workspace = 0; // of its kernel alone: partial sums of a product
    };
    /// Describes one live range of a tensor: from step `first` to step `last`, at an offset in the
    /// arena.
    struct Life {
        std::string tensor;
        std::uint32_t first = 0, last = 0;
        std::int64_t bytes = 0, offset = 0;
    };
    struct Transfer {
        std::string tensor;
        bool load = false; // false: a store
        double startMs = 0, endMs = 0;
    };
    /// Describes a node of the F-Tree (MAGIS 4.3).
    struct Fission {
        std::string dimension;   // the dimension that is split
        std::string first, last; // first and last of its nodes, in the graph's order
        std::size_t nodes = 0;
        int parent = -1;       // index in `fissions`; -1: none
        int number = 1;        // number of parts; 1: a candidate that is not carried out
        std::int64_t most = 1; // greatest possible number of parts
        /// All its nodes, in the graph's order; those without a name by their first output.
        std::vector<std::string> names;
        std::vector<int> numbers; // numbers of parts that may be chosen, ascending; 1 is first
        /// Eq. 3 and 4 with n = 2, in bytes; the hot-spots are those of the graph's own order.
        double heat = 0, score = 0;
        /// The plan with only this fission changed: no longer carried out, or carried out in its
        /// least number of parts. If that is not possible, `origin` says why.
        MemoryPoint changed;
        bool locked = false; // chosen by hand: searches that continue keep its number
    };
    struct Baseline {
        std::string name;
        std::vector<MemoryPoint> points;
        /// The best point that it reaches within the limits; without an origin if it reaches none.
        MemoryPoint best;
        bool rewritten = false; // of the graph of MemoryPlan::rewritten, not of the original one
    };

    /// Tells how the latencies were obtained.
    struct Times {
        struct Problem {
            std::string node, reason;
        };
        /// Distinct calls of the graph that were measured on the device, and those that were not.
        std::size_t measured = 0, modelled = 0;
        /// Distinct parts of calls in the plan, by source of their time: measured themselves;
        /// scaled from measurements of parts of other sizes or of the whole calls, with the model;
        /// or only modelled.
        std::size_t partsMeasured = 0, partsScaled = 0, partsModelled = 0;
        double shareBefore = 0, share = 0; // share of the kernels' time that was measured
        std::vector<Problem> problems;     // why distinct calls or parts were not measured
    };

    std::string device;
    Times times;
    MemoryPoint before, after; // before: the original graph, in its own order
    /// The fastest graph that rewriting alone makes, in its own order, without any decision about
    /// memory; the original graph if none is faster.
    MemoryPoint rewritten;
    /// The latency to which latency limits are relative: the smaller of `before` and `rewritten`,
    /// unless requested otherwise.
    double referenceMs = 0;
    std::int64_t residentBytes = 0; // weights
    std::int64_t arenaBytes = 0;    // weights plus an arena for everything else
    std::vector<Step> stepsBefore, steps;
    std::vector<Life> lives;
    std::vector<Transfer> transfers;
    std::vector<Fission> fissions;
    std::vector<Baseline> baselines;
    std::vector<MemoryPoint> front; // the Pareto front: no point is worse than another in both
    std::size_t recomputed = 0, swapped = 0; // tensors
    /// Nodes of the graph that were split or merged before the search.
    std::vector<std::string> changes;
    bool limitsMet = true;
    std::int64_t workspaceBytes = 0; // the largest workspace of a step
    bool realized = false;           // the plan's graph contains parts and recomputations as nodes
    std::string unrealized;          // why it does not, and what to do
    /// The decisions in the pass's own form, to change them by hand; see Context::edit.
    std::string state;
};

} // namespace graphloom
