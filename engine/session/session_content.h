// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/objective.h"
#include "engine/plan/plan.h"
#include "engine/target/plan_measurement.h"
#include "engine/verify/verified_plan.h"

#include <map>

namespace graphloom {

/// Holds one state of the plan, and the action that led to it.
struct SessionState {
    std::shared_ptr<const Plan> plan;
    std::string text;    // "magis", "Merge blocks"; "" for the first: the model as it was opened
    bool byHand = false; // an edit, not a pass
};

/// Describes a run of a pass, as shown in the list of runs.
struct SessionRun {
    int number = 0;
    std::string pass;
    std::vector<std::pair<std::string, double>> settings;
    Objective objective;
    std::uint64_t seed = 0;
    unsigned threads = 0;
    std::int64_t beganMs = 0; // since 1970, UTC
    double seconds = 0;
    std::string problem; // why it failed; "": it did not
    bool stopped = false;
    std::shared_ptr<const SearchRecord> search;
    std::shared_ptr<const Plan> before, result; // result: null if there is none
};

/// Holds all of a user's work on a model: every plan that undo and redo lead to, the runs that made
/// them, what was measured and verified, and the state of the view.
struct SessionContent {
    std::vector<SessionState> states;
    std::size_t current = 0; // index in `states` of the state that is shown
    std::vector<SessionRun> runs;
    std::map<std::string, std::string> view; // the window's own settings: texts by name
    std::vector<std::shared_ptr<const PlanMeasurement>> measurements; // the newest last
    std::shared_ptr<const TuningTrials> trials; // of the last tuning; null: none
    std::vector<std::shared_ptr<const VerifiedPlan>> verifications; // the newest last
    std::vector<std::string> problems; // what was left out of a session that was read
};

} // namespace graphloom
