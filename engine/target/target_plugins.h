// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

namespace graphloom {

/// One shared library in the folder of targets. A library that cannot be used stays in the list,
/// with the reason.
struct TargetPlugin {
    std::filesystem::path file;
    std::shared_ptr<const Target> target; // null when `problem` is set
    std::string problem;
};

/// A target and which of its devices.
struct ChosenTarget {
    std::shared_ptr<const Target> target;
    std::string device; // of the target's devices()
};

/// The machine that the program runs on, as a target among these. Fails (Missing) where none of
/// them is, with what is wrong with those that cannot be used.
Result<ChosenTarget> thisMachineAmong(const std::vector<TargetPlugin> &plugins);

/// Loads every target plugin of a folder, in the order of their file names
/// (engine/pass/plugin_library.h).
std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder);

/// The program's own, with a row for each that is missing.
std::vector<TargetPlugin> ownTargetPlugins();

/// The folder of the installed or built targets that belong to the running executable.
std::filesystem::path defaultTargetFolder();

} // namespace graphloom
