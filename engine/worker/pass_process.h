// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "engine/worker/run_control.h"

namespace graphloom {

/// A pass of a plugin, to be run in a process of its own.
struct PassJob {
    std::filesystem::path library; // of the plugin; empty: the pass runs in this process
    std::shared_ptr<const Pass> pass;
    std::string version; // of the program
    /// File of the profile database; none: the user's own.
    std::optional<std::filesystem::path> profile;
    std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
    /// Gets what went wrong without being the end.
    std::function<void(const std::string &)> warn = [](const std::string &) {};
};

/// As runPass(), but in the program graphloom-worker: a pass that crashes loses its run and nothing
/// else (Fault, with what it published last still there). The context's profile database and
/// timers are not used, the worker has its own. Blocks; what the context's functions get, they get
/// from the calling thread.
Result<Plan> runPassApart(const PassJob &job, const Plan &plan, const Context &context);

} // namespace graphloom
