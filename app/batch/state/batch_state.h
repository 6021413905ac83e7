// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/report/comparison.h"
#include "app/batch/report/diagnostic.h"
#include "app/batch/state/interrupt.h"
#include "app/batch/state/reached.h"
#include "app/batch/state/setup.h"
#include "app/batch/state/staged_export.h"
#include "app/batch/terminal/batch_log.h"
#include "app/html/picture.h"
#include "app/run/target_run.h"
#include "engine/plan/report/report.h"
#include "engine/session/session_content.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace graphloom {

/// Holds the state of one run of --batch. Its steps are called one after the other (batch.cpp).
struct BatchState {
    const BatchOptions &options;
    BatchLog log;
    PictureMaker drawPictures = {};
    Reached reached{options};
    Interrupt interrupt{[this] { reached.save(); }, [this] { reached.tidy(); }};
    Setup setup = {};
    std::shared_ptr<const Device> device = {}; // that passes plan for
    std::optional<Plan> plan = {};
    std::optional<Plan> compared = {}; // plan of --compare
    std::optional<TargetRun> target = {};
    std::vector<TargetOutcome> otherOutcomes = {}; // on Setup::otherTargets
    ReportContent content = {};
    std::shared_ptr<ProfileDatabase> profile = {};
    std::vector<Diagnostic> noticed = {}; // about the environment of the run
    CallTimers timers = {};
    // Products that are put in place when all checks are done.
    std::optional<StagedExport> exported = {};
    std::vector<SourceFile> kernelTexts = {};
    std::optional<StagedPackage> package = {};
    std::optional<std::string> trace = {};
    SessionContent session = {}; // the plans from the first on, for --save
    // Results of the checks.
    nlohmann::ordered_json report = {};
    std::vector<Gate> gates = {};
    std::vector<FigureComparison> comparisons = {};
    std::string modelDifferences = {}; // from the baseline's
    bool gatesFailed = false;
    bool failed = false; // a verification or a gate has failed
    std::vector<std::string> withheld = {};
    std::optional<Error> error = {};
    std::string errorStage = {};

    bool tunes() const { return setup.target && options.budget && options.budget->amount > 0; }
    /// Tells whether the run adds times to the profile database.
    bool fillsProfile() const
    {
        const bool tunesByRuns = tunes() && !options.modelledTimes;
        return tunesByRuns || std::ranges::any_of(setup.passes, [](const ChosenPass &chosen) {
                   return chosen.pass->measures(chosen.settings);
               });
    }
};

} // namespace graphloom
