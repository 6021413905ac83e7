// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/compare/graph_comparison.h"
#include "engine/compare/plan_metrics.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Compares two plans: of one model, of two models, or of a model and what was exported from it.
struct PlanComparison {
    GraphComparison graphs;
    std::vector<PlanMetric> metrics;
    bool sameModel = false; // both began with the same graph
};

struct PlanComparing {
    std::optional<MeasuredLatency> measuredBefore = {}, measuredNow = {};
    std::stop_token stop = {};
};

/// Compares two plans. Nodes are aligned by their origins if both plans are of one model, or if an
/// exported file records them; otherwise by what they compute (align()). If stopped, returns what
/// it has.
PlanComparison compare(const Plan &before, const Plan &now, const PlanComparing &options = {});

/// Returns the comparison as sections of the report: what differs, named by distinctNodeNames().
nlohmann::ordered_json reportOf(const PlanComparison &comparison);

/// Describes in words how a node of the comparison relates to others: "does the work of conv1,
/// bn1", "its work is done by conv1", or why nothing replaces a removed one. Empty if nothing is
/// known.
std::string relationOf(const GraphComparison &comparison, const NodeDifference &difference);

} // namespace graphloom
