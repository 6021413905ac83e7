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

/// Loads every target plugin of a folder, in the order of their file names
/// (engine/plan/plugin_library.h).
std::vector<TargetPlugin> loadTargetPlugins(const std::filesystem::path &folder);

/// The program's own, with a row for each that is missing.
std::vector<TargetPlugin> ownTargetPlugins();

/// The folder of the installed or built targets that belong to the running executable.
std::filesystem::path defaultTargetFolder();

} // namespace graphloom
