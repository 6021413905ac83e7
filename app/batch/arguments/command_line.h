// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/objective_arguments.h"
#include "app/batch/arguments/tolerance.h"
#include "app/run/budget.h"
#include "app/run/window_options.h"
#include "engine/base/result.h"
#include "engine/ir/training_options.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace graphloom {

enum class ProgressStyle { Bar, Json, None };

/// What `graphloom --batch` is asked to do. Options of the command line that this version does
/// not have yet never get here: parsing fails.
struct BatchOptions {
    std::filesystem::path model;
    std::map<std::string, std::vector<std::int64_t>> inputShapes;
    std::optional<std::int64_t> batchSize;
    std::optional<TrainingOptions> training;
    std::vector<std::string> passes;
    /// pass, parameter, value; in the order given.
    struct Setting {
        std::string pass, parameter, value;
    };
    std::vector<Setting> settings;
    ObjectiveOptions objective;
    std::optional<Budget> budget;
    unsigned threads = 0; // 0: one per core
    std::uint64_t seed = 0;
    std::optional<std::filesystem::path> exportTo, report, html, junit, sarif, baseline, compare,
        save;
    bool exportFlat = false;
    /// The name of a target, empty for the machine that this runs on, and perhaps of a device of
    /// it.
    struct TargetName {
        std::string target, device;
    };
    std::optional<TargetName> target;
    std::optional<int> measure; // runs
    std::optional<std::filesystem::path> emitKernels, trace;
    std::optional<double> verify; // the greatest relative error that passes
    std::vector<std::filesystem::path> testData;
    std::optional<std::filesystem::path> profile; // the profile database; none: the user's
    std::vector<std::string> assertions;
    std::vector<Tolerance> tolerances;     // for the baseline; the last one that matches counts
    std::optional<ProgressStyle> progress; // none: by what stderr is
    bool dryRun = false;                   // check and say what would be done
};

struct ListOptions {
    std::string what; // "passes", "targets", "devices", "ops", "rules"
    bool json = false;
};

/// What to do with the profile database (engine/profile).
struct ProfileOptions {
    enum class Action { Info, Export, Import } action = Action::Info;
    std::vector<std::filesystem::path> files;      // to export to, or to import
    std::optional<std::filesystem::path> database; // none: the user's own
};

/// Text that answers by itself: --help, --version, --print-config.
struct Answer {
    std::string text;
};

using Command = std::variant<Answer, ListOptions, ProfileOptions, BatchOptions, WindowOptions>;

/// Reads the arguments without the program's name. Fails (Usage) naming the argument and what
/// is allowed. Touches no file but that of --config, and no Qt.
Result<Command> parseCommandLine(const std::vector<std::string> &arguments);

} // namespace graphloom
