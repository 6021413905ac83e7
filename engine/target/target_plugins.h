// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

namespace graphloom {

/// Describes one shared library in the folder of targets. A library that cannot be used stays in
/// the list, with the reason.
struct TargetPlugin {
    std::filesystem::path file;
    std::shared_ptr<const Target> target; // null when `problem` is set
    std::string problem;
};

/// Holds a target and the choice among its devices.
struct ChosenTarget {
    std::shared_ptr<const Target> target;
    std::string device; // one of the target's devices()
};

/// Returns the target among these that is the machine that the program runs on. Fails (Missing) if
/// there is none, telling what is wrong with those that cannot be used.
Result<ChosenTarget> thisMachineAmong(const std::vector<TargetPlugin> &plugins);

/// Loads every target plugin of a folder, in the order of their file names
/// (engine/pass/plugin_library.h).
std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder);

/// Loads the program's own target plugins, with a row for each that is missing.
std::vector<TargetPlugin> ownTargetPlugins();

/// Returns the folder of the installed or built targets that belong to the running executable.
std::filesystem::path defaultTargetFolder();

} // namespace graphloom
