// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ir/training_options.h"
#include "engine/onnx/files/import_options.h"
#include "engine/pass/plugins.h"
#include "engine/pass/program_parts.h"
#include "engine/target/target_plugins.h"

#include <QString>

#include <filesystem>
#include <optional>
#include <vector>

namespace graphloom {

enum class ThemeChoice { System, Dark, Light };

/// Holds the options of a window.
struct MainWindowOptions {
    std::vector<PassPlugin> plugins;
    std::vector<TargetPlugin> targets;
    QString settingsFile;                         // file of the settings; empty: the user's own
    std::optional<ThemeChoice> theme;             // overrides the one in the settings
    ImportOptions import;                         // for the documents that are opened
    std::optional<TrainingOptions> training = {}; // replaces models by steps of their training
    /// Folder of the journals that protect unsaved work against crashes; empty for none.
    std::filesystem::path journals = {};
    std::optional<std::filesystem::path> profile; // of tuning; none: the user's database
    bool systemIsDark = false;                    // what ThemeChoice::System means
    std::vector<MissingPart> missing = {};        // parts of the program, reported as errors
};

} // namespace graphloom
