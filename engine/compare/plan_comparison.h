// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/compare/graph_comparison.h"
#include "engine/compare/plan_metrics.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Two plans side by side: of one model, of two, or of a model and what was exported of it.
struct PlanComparison {
    GraphComparison graphs;
    std::vector<PlanMetric> metrics;
    bool sameModel = false; // both began with the same graph
};

struct PlanComparing {
    std::optional<MeasuredLatency> measuredBefore = {}, measuredNow = {};
    std::stop_token stop = {};
};

/// Nodes are aligned by their origins where both plans are of one model, or where a file that was
/// exported tells them; else by what they compute (align()). Stopped, it gives what it has.
PlanComparison compare(const Plan &before, const Plan &now, const PlanComparing &options = {});

/// As sections of the report: what differs, named by distinctNodeNames().
nlohmann::ordered_json reportOf(const PlanComparison &comparison);

/// What a node of the comparison has beside its changes, in words: "does the work of conv1, bn1",
/// "its work is done by conv1", why a removed one has nobody. Empty where nothing is known.
std::string relationOf(const GraphComparison &comparison, const NodeDifference &difference);

} // namespace graphloom
