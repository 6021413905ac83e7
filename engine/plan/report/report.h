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

/// Number of the report's form. Keys only ever get added, so it changes when a key must change
/// its meaning.
inline constexpr int reportSchema = 1;

/// The outcome of one folder of stored inputs and expected outputs.
struct TestDataOutcome {
    std::string folder;
    Verification result;
};

/// A condition on the report, or a comparison with an earlier one.
struct Gate {
    std::string kind; // "assert", "baseline"
    std::string text; // the condition
    bool passed = false;
    std::string message; // values that were looked at, or why there are none
};

/// What is known beside the plan itself.
struct ReportContent {
    Environment environment;
    std::optional<Verification> verification;
    std::vector<TestDataOutcome> testData;
};

/// The JSON report of a plan: model, training, passes, partition, rewrite, provenance (by node:
/// whose work it does), fusion, tuning, memory, fission, pareto, schedule (of a memory plan that
/// the graph follows), search, verify, test_data, environment. Sections without content are absent.
/// Times have the provenance "host", counts taken from the graph "modelled". Fails when the model's
/// facts cannot be had (model_facts.h).
Result<nlohmann::ordered_json> reportOf(const Plan &plan, const ReportContent &content);

/// The gates' part of a report; evaluated over the rest, so it comes last.
nlohmann::ordered_json reportOf(const std::vector<Gate> &gates);

} // namespace graphloom
