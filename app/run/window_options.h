// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run/budget.h"
#include "engine/ir/training_options.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Options of the command line for the window.
struct WindowOptions {
    std::optional<std::filesystem::path> document;
    std::vector<std::filesystem::path> more; // further documents, in tabs behind
    /// File to which a picture of the window is rendered instead of showing it. Needs no display.
    std::optional<std::filesystem::path> screenshot;
    /// A view to be written to a file. Needs no display either.
    struct Export {
        std::string view; // a name that namedView() knows
        std::filesystem::path file;
    };
    std::vector<Export> exports;
    double exportScale = 2;                       // pixels of a PNG per unit of the picture
    std::string view;                             // a name that passOf() knows; empty: "model"
    std::optional<std::filesystem::path> compare; // other file, for the view "compare"
    std::string theme; // "dark", "light"; empty: as the session settings say
    std::map<std::string, std::vector<std::int64_t>> inputShapes; // by graph input name
    std::optional<std::int64_t> batchSize;                        // as in ImportOptions
    std::optional<TrainingOptions> training; // shows a training step of the model
    std::optional<Budget> budget;            // for tuning; nothing: as the session settings say
    /// The profile database. Nothing: the user's own, or an empty one for pictures and tables.
    std::optional<std::filesystem::path> profile;
};

} // namespace graphloom
