// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"
#include "engine/plan/report/environment.h"
#include "engine/plan/verification.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// The version of the report's format. Keys are only ever added, so it changes only if a key must
/// change its meaning.
inline constexpr int reportSchema = 1;

/// Holds the outcome of one folder of stored inputs and expected outputs.
struct TestDataOutcome {
    std::string folder;
    Verification result;
};

/// Holds a condition on the report, or a comparison with an earlier one, and its outcome.
struct Gate {
    std::string kind; // "assert", "baseline"
    std::string text; // the condition
    bool passed = false;
    std::string message; // the values examined, or why there are none
};

/// Holds the contents of a report that are not part of the plan itself.
struct ReportContent {
    Environment environment;
    std::optional<Verification> verification;
    std::vector<TestDataOutcome> testData;
};

/// Returns the JSON report of a plan: model, training, device, passes, partition, rewrite,
/// provenance (by node: whose work it does), fusion, tuning, memory, fission, pareto, schedule (of
/// a memory plan that the graph follows), search, verify, test_data, environment. Sections without
/// content are absent. Times have the provenance "host", counts taken from the graph "modelled".
/// Fails if the model's facts cannot be determined (model_facts.h).
Result<nlohmann::ordered_json> reportOf(const Plan &plan, const ReportContent &content);

/// Returns the gates' part of a report. Gates are evaluated over the other parts, so it comes last.
nlohmann::ordered_json reportOf(const std::vector<Gate> &gates);

} // namespace graphloom
