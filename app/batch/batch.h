// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "app/batch/terminal/exit_code.h"
#include "app/html/picture.h"
#include "engine/pass/plugins.h"
#include "engine/target/target_plugins.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the passes, targets and other parts that a batch uses.
struct BatchPlugins {
    std::vector<PassPlugin> passes;
    std::vector<TargetPlugin> targets;
    /// Returns the timers for passes; `warn` is called for problems that are not errors.
    std::function<CallTimers(std::function<void(const std::string &)> warn)> timers =
        [](const auto &) { return Context().timers; };
    PictureMaker drawPictures = {}; // for --html; empty: no drawings
};

/// Opens the model, runs passes, builds, verifies, measures, checks, exports and reports as the
/// options say. Exported models, kernels and traces are put in place if no check has failed; JUnit
/// and SARIF are written in any case. Results go to `out`, progress and errors to `err`. Needs no
/// display and does not use Qt, except for the drawings. Returns the exit code. SIGINT and SIGTERM
/// cancel: the result so far is still written. A second signal ends the process (interrupt.h).
int runBatch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
             std::ostream &err);

} // namespace graphloom
