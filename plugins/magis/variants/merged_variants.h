// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/plan/rewrite_log.h"
#include "plugins/magis/rules/graph_rule.h"
#include "plugins/magis/variants/graph_costs.h"

#include <span>
#include <stop_token>
#include <vector>

namespace graphloom::magis {

/// A graph that computes the same as another one, with calls merged.
struct MergedGraph {
    Graph graph;
    double seconds = 0; // of a run, modelled (graph_costs.h)
    RewriteLog log;     // which rules were applied to which nodes; empty: it is the graph itself
};

struct MergeOptions {
    UsesRule uses = [](std::string_view) { return true; };
    /// Constants that are others in the next run: a training graph's weights. What joins them stays
    /// a call.
    std::span<const TensorId> variables = {};
    /// What is taken for free when variants are priced.
    Views views = Views::Runs;
    std::stop_token stop = {};
    /// Has there been enough time for it? As if it were stopped then.
    std::function<bool()> isLate = [] { return false; };

    bool isOver() const { return stop.stop_requested() || isLate(); }
};

/// The graph itself, and those that merges (mergeRules()) make of it that are as fast at least:
/// behind it, the fastest first. Besides the one with all merges that pay there may be one in which
/// constants alone are joined, which needs hardly more memory. Inputs and outputs keep names, types
/// and shapes. The graph must be inferred, and its extents numbers. Stopped, it gives what it has
/// so far. Fails (Model) where a node contradicts its operator, (Fault) where a rule breaks the
/// graph.
Result<std::vector<MergedGraph>> mergedVariants(const Graph &graph, const Opsets &opsets,
                                                const Device &device,
                                                const MergeOptions &options = {});

} // namespace graphloom::magis
