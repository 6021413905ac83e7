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

/// Holds the objective of passes that search, and the files of their state.
struct ObjectiveOptions {
    Objective objective;
    std::optional<std::filesystem::path> checkpoint, resume;
    /// Option given first that needs such a pass; empty if none was given.
    std::string option;
};

/// Reads the command-line options of ObjectiveOptions.
class ObjectiveArguments {
public:
    void addTo(CLI::App &app, const char *group);
    /// Returns the options. Fails (Usage) with the option and the values that it accepts.
    Result<ObjectiveOptions> read(const CLI::App &app) const;

private:
    std::string m_mode, m_memory, m_latency, m_checkpoint, m_resume;
};

} // namespace graphloom
