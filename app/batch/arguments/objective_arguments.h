// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/plan/objective.h"

#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace graphloom {

/// What passes that search are to work towards, and where they keep their state.
struct ObjectiveOptions {
    Objective objective;
    std::optional<std::filesystem::path> checkpoint, resume;
    /// The option that was given first, which needs such a pass; empty: none was.
    std::string option;
};

/// The options of the command line for them.
class ObjectiveArguments {
public:
    void addTo(CLI::App &app, const char *group);
    /// Fails (Usage) naming the option and what it takes.
    Result<ObjectiveOptions> read(const CLI::App &app) const;

private:
    std::string m_mode, m_memory, m_latency, m_checkpoint, m_resume;
};

} // namespace graphloom
