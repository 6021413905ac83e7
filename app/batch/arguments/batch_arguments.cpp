// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/batch_arguments.h"

#include "app/batch/arguments/argument_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>

namespace graphloom {

namespace {

/// The value of --times that is not the default.
constexpr std::string_view modelledTimes = "modelled";

/// Reads the targets of --target. Without it, this machine is the target if an option needs one.
Result<void> readTargets(const CLI::App &app, const RawArguments &raw, BatchOptions &options)
{
    if (app.count("--target")) {
        GL_TRY_RESULT(targets, targetNamesOf(raw.target));
        options.target = std::move(targets->front());
        options.otherTargets.assign(std::make_move_iterator(targets->begin() + 1),
                                    std::make_move_iterator(targets->end()));
        if (!options.otherTargets.empty() && !options.measure)
            return fail(Error::Kind::Usage,
                        "several targets are for measuring the result: add --measure",
                        "--target " + raw.target);
        return {};
    }
    const bool needsOne =
        std::ranges::any_of(std::array{"--measure", "--emit-kernels", "--emit-package", "--trace"},
                            [&](const char *name) { return app.count(name) > 0; });
    if (needsOne || raw.times == modelledTimes)
        options.target.emplace();
    return {};
}

/// Reads the options that say how to optimize the model.
Result<void> readWork(const CLI::App &app, const RawArguments &raw, BatchOptions &options)
{
    GL_TRY_RESULT(shapes, inputShapesOf(raw.inputs));
    options.inputShapes = std::move(*shapes);
    if (app.count("--batch-size"))
        options.batchSize = raw.batchSize;
    GL_TRY_RESULT(training, raw.training.read(app));
    options.training = *training;
    GL_TRY_RESULT(objective, raw.objective.read(app));
    options.objective = *std::move(objective);
    GL_TRY_RESULT(passes, passNamesOf(raw.passes));
    options.passes = std::move(*passes);
    for (const std::string &text : raw.settings) {
        GL_TRY_RESULT(setting, settingOf(text));
        options.settings.push_back(std::move(*setting));
    }
    if (app.count("--budget")) {
        GL_TRY_CONST(budget, budgetOf(raw.budget));
        options.budget = *budget;
    }
    options.modelledTimes = raw.times == modelledTimes;
    if (options.modelledTimes && !options.budget)
        return fail(Error::Kind::Usage, "requires --budget", "--times modelled");
    if (app.count("--measure"))
        options.measure = raw.measure;
    if (app.count("--device"))
        options.device = raw.device;
    return readTargets(app, raw, options);
}

Result<void> readChecks(const CLI::App &app, const RawArguments &raw, BatchOptions &options)
{
    if (app.count("--verify")) {
        GL_TRY_CONST(tolerance, verifyToleranceOf(raw.verify));
        options.verify = *tolerance;
    }
    options.testData.assign(raw.testData.begin(), raw.testData.end());
    options.assertions = raw.assertions;
    options.baseline = optionalPath(raw.baseline);
    options.compare = optionalPath(raw.compare);
    for (const std::string &text : raw.tolerances) {
        GL_TRY_RESULT(tolerance, toleranceOf(text));
        options.tolerances.push_back(std::move(*tolerance));
    }
    if (!options.tolerances.empty() && !options.baseline)
        return fail(Error::Kind::Usage, "requires --baseline", "--tolerance " + raw.tolerances[0]);
    return {};
}

} // namespace

std::optional<std::filesystem::path> optionalPath(const std::string &text)
{
    return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

Result<BatchOptions> batchOptionsOf(const CLI::App &app, const RawArguments &raw)
{
    BatchOptions options;
    // Read first, since --verify may have taken the model as its tolerance.
    GL_TRY(readChecks(app, raw, options));
    if (raw.model.empty())
        return fail(Error::Kind::Usage, "--batch requires a model: graphloom --batch MODEL.onnx");
    options.model = raw.model;
    GL_TRY(readWork(app, raw, options));
    options.threads = raw.threads;
    options.seed = raw.seed;
    options.emitKernels = optionalPath(raw.emitKernels);
    options.emitPackage = optionalPath(raw.emitPackage);
    options.trace = optionalPath(raw.trace);
    options.exportTo = optionalPath(raw.exportTo);
    options.exportFlat = raw.exportFlat;
    options.report = optionalPath(raw.report);
    options.html = optionalPath(raw.html);
    options.save = optionalPath(raw.save);
    options.junit = optionalPath(raw.junit);
    options.sarif = optionalPath(raw.sarif);
    options.profile = optionalPath(raw.profileDatabase);
    options.dryRun = raw.dryRun;
    options.partial = raw.partial;
    if (options.partial && !options.emitPackage)
        return fail(Error::Kind::Usage, "requires --emit-package", "--partial");
    if (options.exportFlat && !options.exportTo)
        return fail(Error::Kind::Usage, "requires --export", "--export-flat");
    if (!raw.progress.empty())
        options.progress = raw.progress == "bar"    ? ProgressStyle::Bar
                           : raw.progress == "json" ? ProgressStyle::Json
                                                    : ProgressStyle::None;
    return options;
}

} // namespace graphloom
