// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "engine/worker/run_control.h"

namespace graphloom {

/// Describes a pass of a plugin that is to run in its own process.
struct PassJob {
    std::filesystem::path library; // file of the plugin; empty: the pass runs in this process
    std::shared_ptr<const Pass> pass;
    std::string version; // of the program
    /// File of the profile database; empty: the user's own.
    std::optional<std::filesystem::path> profile;
    std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
    /// Receives problems that do not end the run.
    std::function<void(const std::string &)> warn = [](const std::string &) {};
};

/// Runs a pass as runPass() does, but in the program graphloom-worker: a pass that crashes loses
/// only its run (Fault; what it published last remains). The context's profile database and timers
/// are not used; the worker has its own. Blocks; the context's functions are called from the
/// calling thread.
Result<Plan> runPassApart(const PassJob &job, const Plan &plan, const Context &context);

} // namespace graphloom
