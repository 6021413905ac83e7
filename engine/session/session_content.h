// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/objective.h"
#include "engine/plan/plan.h"

#include <map>

namespace graphloom {

/// One state of the plan, and what was done to get there.
struct SessionState {
    std::shared_ptr<const Plan> plan;
    std::string text;    // "magis", "Merge blocks"; "" for the first: the model as it was opened
    bool byHand = false; // an edit, not a pass
};

/// A run of a pass, as the list of runs has it.
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
    std::shared_ptr<const Plan> before, result; // the second null where there is none
};

/// All of somebody's work on a model: every plan that undo and redo lead to, the runs that made
/// them, and how it was looked at.
struct SessionContent {
    std::vector<SessionState> states;
    std::size_t current = 0; // of states: what is shown
    std::vector<SessionRun> runs;
    std::map<std::string, std::string> view; // the window's own: texts by name
};

} // namespace graphloom
