// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace graphloom {

/// Describes one shared library in the plugin folder. A library that cannot be used stays in the
/// list, with the reason: the window and --list show it as a row.
struct PassPlugin {
    std::filesystem::path file;
    std::shared_ptr<const Pass> pass; // null when `problem` is set
    std::string problem;
};

/// Loads every pass plugin of a folder, in the order of their file names (plugin_library.h).
std::vector<PassPlugin> loadPassPlugins(const std::filesystem::path &folder);

/// Loads the program's own pass plugins, with a row for each that is missing.
std::vector<PassPlugin> ownPassPlugins();

/// Loads the plugin of one file directly, without trying it in a child process first.
PassPlugin loadPassPlugin(const std::filesystem::path &file);

/// Returns the folder of the installed or built plugins that belong to the running executable.
std::filesystem::path defaultPluginFolder();

} // namespace graphloom
