// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/rewrite_log.h"
#include "engine/rewrite/terms/rule.h"

#include <functional>
#include <span>
#include <stop_token>

namespace graphloom {

struct RewriteOptions {
    enum class Strategy {
        Greedy,             // DNNFusion section 4.2: the largest reduction of FLOPs first
        EqualitySaturation, // all rules at once in an e-graph, then the cheapest result
    };
    Strategy strategy = Strategy::Greedy;
    /// Assumes that values are in the domain of a rule if the graph does not prove it.
    bool assumeDomain = false;
    /// Constants whose elements must not be relied on: a training graph's weights, which change in
    /// the next step.
    std::vector<TensorId> variables;
    /// Maximum number of steps over the whole graph.
    std::size_t mostSteps = 100000;
    /// Limits of the e-graph of one window of the graph.
    std::size_t mostCalls = 1000, mostRounds = 6;
    std::stop_token stop;
    std::function<void(double)> progress = [](double) {};
};

struct RewriteResult {
    Graph graph;
    RewriteLog log;
};

/// Applies rules wherever they make the graph cheaper (Cost), and nothing else. Graph inputs and
/// outputs keep names, types and shapes. If stopped, returns what it has so far. The graph must be
/// inferred (infer.h). Fails (Fault) only if a rule breaks the graph.
Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options = {});

} // namespace graphloom
