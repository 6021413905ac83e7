// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "app/batch/html/picture.h"
#include "app/batch/terminal/exit_code.h"
#include "engine/pass/plugins.h"
#include "engine/target/target_plugins.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace graphloom {

/// What a batch may choose from.
struct BatchPlugins {
    std::vector<PassPlugin> passes;
    std::vector<TargetPlugin> targets;
    /// For passes; `warn` is told what goes wrong without being an error.
    std::function<CallTimers(std::function<void(const std::string &)> warn)> timers =
        [](const auto &) { return Context().timers; };
    PictureMaker drawPictures = {}; // for --html; empty: it has no drawings
};

/// Opens, runs passes, builds, verifies, measures, checks, exports and reports as the options say.
/// Exported models, kernels and traces are put in place when no check has failed; JUnit and SARIF
/// are written whatever happens. Results go to `out`, progress and errors to `err`. Neither needs a
/// display nor touches Qt, but for the drawings. Returns the exit code. SIGINT and SIGTERM cancel:
/// what was reached so far is still written. A second one ends the process (interrupt.h).
int runBatch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
             std::ostream &err);

} // namespace graphloom
