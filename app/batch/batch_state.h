// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/batch_log.h"
#include "app/batch/interrupt.h"
#include "app/batch/setup.h"
#include "app/batch/target_run.h"
#include "engine/plan/report.h"

#include <algorithm>
#include <optional>

namespace graphloom {

/// One run of --batch: what is known so far. Its steps follow one another (batch.cpp).
struct BatchState {
    const BatchOptions &options;
    BatchLog log;
    Interrupt interrupt = {};
    Setup setup = {};
    std::optional<Plan> plan = {};
    std::optional<TargetRun> target = {};
    ReportContent content = {};
    std::shared_ptr<ProfileDatabase> profile = {};
    CallTimers timers = {};
    bool failed = false; // a verification or a gate

    bool tunes() const { return setup.target && options.budget && options.budget->amount > 0; }
    /// Will there be times to keep?
    bool fillsProfile() const
    {
        return tunes() || std::ranges::any_of(setup.passes, [](const ChosenPass &chosen) {
                   return chosen.pass->measures(chosen.settings);
               });
    }
};

} // namespace graphloom
