// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace graphloom {

/// Holds an option of a configuration file, as it would be on the command line.
struct ConfigEntry {
    std::string key; // without dashes
    /// Values: none for a flag that is off, an empty one for a flag that is on.
    std::vector<std::string> values;
    int line = 1;         // of the key
    bool entries = false; // an object of names and values: {"ago.threshold": 600}
};

/// Reads a JSON object, with // and /* */ comments, whose values are strings, numbers, booleans,
/// lists of these, or objects of names and values. Fails (Usage) with file and line, or (Missing)
/// if the file cannot be read.
Result<std::vector<ConfigEntry>> readConfig(const std::filesystem::path &file);

/// Returns the command line with the options that the file adds: those that are not on the command
/// line, and those whose last entry of a name counts (--set, --tolerance), where entries of the
/// command line come last. `given` has parsed the command line. Fails (Usage) with the line for a
/// key that is no option.
Result<std::vector<std::string>> withConfig(const CLI::App &given,
                                            const std::vector<std::string> &arguments,
                                            const std::filesystem::path &file);

/// Returns the options that were given, as a file for readConfig().
std::string configOf(const CLI::App &given);

} // namespace graphloom
