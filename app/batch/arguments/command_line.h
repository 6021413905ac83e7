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

/// Holds the options of `graphloom --batch`. Options that this version does not have are rejected
/// by the parser.
struct BatchOptions {
    std::filesystem::path model;
    std::map<std::string, std::vector<std::int64_t>> inputShapes;
    std::optional<std::int64_t> batchSize;
    std::optional<TrainingOptions> training;
    std::vector<std::string> passes;
    /// Holds a parameter of a pass, in the order given.
    struct Setting {
        std::string pass, parameter, value;
    };
    std::vector<Setting> settings;
    std::optional<std::string> device; // a described one; none: that of the target
    ObjectiveOptions objective;
    std::optional<Budget> budget;
    bool modelledTimes = false; // of kernels that are tuned
    unsigned threads = 0;       // 0: one per core
    std::uint64_t seed = 0;
    std::optional<std::filesystem::path> exportTo, report, html, junit, sarif, baseline, compare,
        save;
    bool exportFlat = false;
    /// Holds the name of a target, empty for this machine, and optionally of one of its devices.
    struct TargetName {
        std::string target, device;
    };
    std::optional<TargetName> target;
    std::vector<TargetName> otherTargets; // on which the result is measured, too
    std::optional<int> measure;           // number of runs
    std::optional<std::filesystem::path> emitKernels, emitPackage, trace;
    bool partial = false;         // PackageOptions
    std::optional<double> verify; // greatest relative error that passes
    std::vector<std::filesystem::path> testData;
    std::optional<std::filesystem::path> profile; // the profile database; none: the user's own
    std::vector<std::string> assertions;
    std::vector<Tolerance> tolerances;     // for the baseline; the last match counts
    std::optional<ProgressStyle> progress; // none: chosen by the kind of stderr
    bool dryRun = false;                   // check, and print what would be done
};

struct ListOptions {
    std::string what; // "passes", "targets", "devices", "ops", "rules", "fusions"
    bool json = false;
};

/// Holds the options of work on the profile database (engine/profile).
struct ProfileOptions {
    enum class Action { Info, Export, Import } action = Action::Info;
    std::vector<std::filesystem::path> files;      // to export to, or to import from
    std::optional<std::filesystem::path> database; // none: the user's own
};

/// Holds the text of options that only print: --help, --version, --print-config.
struct Answer {
    std::string text;
};

using Command = std::variant<Answer, ListOptions, ProfileOptions, BatchOptions, WindowOptions>;

/// Reads the arguments, without the program's name. Fails (Usage) with the argument and the values
/// that are allowed. Accesses no file but that of --config, and does not use Qt.
Result<Command> parseCommandLine(const std::vector<std::string> &arguments);

} // namespace graphloom
