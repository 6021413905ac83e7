// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/objective_arguments.h"
#include "app/batch/arguments/training_arguments.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace graphloom {

/// Holds every option as CLI11 fills it in, before it is checked further.
struct RawArguments {
    std::string model, view, theme, list, screenshot, profileDatabase;
    std::vector<std::string> more;        // models after the first one
    std::vector<std::string> exportViews; // "VIEW=FILE"
    double exportScale = 2;
    std::vector<std::string> inputs, settings, passes, assertions, testData, profile, tolerances;
    std::string budget, exportTo, report, html, junit, sarif, baseline, compare, verify, progress,
        config;
    std::string device, target, times, emitKernels, emitPackage, trace, save;
    int measure = 0;
    bool batch = false, exportFlat = false, version = false, json = false;
    bool dryRun = false, printConfig = false, partial = false;
    std::int64_t batchSize = 0;
    unsigned threads = 0;
    std::uint64_t seed = 0;
    TrainingArguments training;
    ObjectiveArguments objective;
};

/// Defines all options; `raw` must outlive the app.
void addArguments(CLI::App &app, RawArguments &raw);

/// Tells whether an option has a meaning with --batch only.
bool isOfBatch(const CLI::Option &option);
/// Tells whether a configuration file may contain an option.
bool isConfigurable(const CLI::Option &option);

} // namespace graphloom
