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

/// An option of a configuration file, as it would be on the command line.
struct ConfigEntry {
    std::string key; // without dashes
    /// A flag that is off has none, one that is on has an empty one.
    std::vector<std::string> values;
    int line = 1;         // of the key
    bool entries = false; // it was an object of names and values: {"ago.threshold": 600}
};

/// Reads a JSON object, with // and /* */ comments, whose values are texts, numbers, booleans,
/// lists of these, or objects of names and values. Fails (Usage) naming file and line, (Missing)
/// when the file cannot be read.
Result<std::vector<ConfigEntry>> readConfig(const std::filesystem::path &file);

/// The command line with what the file adds to it: options that are not on the command line, and
/// those whose last entry of a name counts (--set, --tolerance), where the command line's come
/// later. `given` has parsed the command line. Fails (Usage) for a key that is no option, naming
/// the line.
Result<std::vector<std::string>> withConfig(const CLI::App &given,
                                            const std::vector<std::string> &arguments,
                                            const std::filesystem::path &file);

/// What was given, as a file for readConfig().
std::string configOf(const CLI::App &given);

} // namespace graphloom
