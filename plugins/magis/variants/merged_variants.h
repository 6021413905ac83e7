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

/// Holds a graph that computes the same as another one, with calls merged.
struct MergedGraph {
    Graph graph;
    double seconds = 0; // of a run, modelled (graph_costs.h)
    RewriteLog log;     // the rules that were applied; empty for the graph itself
};

struct MergeOptions {
    UsesRule uses = [](std::string_view) { return true; };
    /// Constants that change from run to run: a training graph's weights. The nodes that join them
    /// stay calls.
    std::span<const TensorId> variables = {};
    /// Nodes that count as free when variants are priced.
    Views views = Views::Runs;
    std::stop_token stop = {};
    /// Tells whether time has run out; has the same effect as stopping.
    std::function<bool()> isLate = [] { return false; };

    bool isOver() const { return stop.stop_requested() || isLate(); }
};

/// Returns the graph itself, then the graphs that merges (mergeRules()) make of it and that are at
/// least as fast, the fastest first. Besides the one with all merges that pay, there may be one in
/// which only constants are joined, which needs hardly more memory. Inputs and outputs keep names,
/// types and shapes. The graph must be inferred, and its extents must be numbers. If stopped,
/// returns the graphs found so far. Fails (Model) if a node contradicts its operator, (Fault) if a
/// rule breaks the graph.
Result<std::vector<MergedGraph>> mergedVariants(const Graph &graph, const Opsets &opsets,
                                                const Device &device,
                                                const MergeOptions &options = {});

} // namespace graphloom::magis
