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

/// What the command line asks of the window.
struct WindowOptions {
    std::optional<std::filesystem::path> document;
    /// Renders a picture of the window to this file instead of showing it; needs no display.
    std::optional<std::filesystem::path> screenshot;
    /// A view that is to be written to a file; needs no display either.
    struct Export {
        std::string view; // as namedView() has them
        std::filesystem::path file;
    };
    std::vector<Export> exports;
    double exportScale = 2;                       // pixels of a PNG for one of the picture
    std::string view;                             // as passOf() has them; empty: "model"
    std::optional<std::filesystem::path> compare; // the other file, for the view "compare"
    std::string theme; // "dark", "light"; empty: as the session settings say
    std::map<std::string, std::vector<std::int64_t>> inputShapes; // by graph input name
    std::optional<std::int64_t> batchSize;                        // as in ImportOptions
    std::optional<TrainingOptions> training; // shows a step of training of the model
    std::optional<Budget> budget;            // of tuning; none: as the session settings say
    /// The profile database. None: the user's own, and for pictures and tables one that is empty.
    std::optional<std::filesystem::path> profile;
};

} // namespace graphloom
