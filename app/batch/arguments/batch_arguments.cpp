// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/batch_arguments.h"

#include "app/batch/arguments/argument_values.h"

#include <CLI/CLI.hpp>

namespace graphloom {

namespace {

/// The target that is named, or this machine where something needs one.
Result<std::optional<BatchOptions::TargetName>> targetOf(const CLI::App &app,
                                                         const RawArguments &raw)
{
    if (app.count("--target")) {
        auto target = targetNameOf(raw.target);
        if (!target)
            return tl::unexpected(target.error());
        return std::move(*target);
    }
    for (const char *name : {"--measure", "--emit-kernels", "--trace"})
        if (app.count(name))
            return BatchOptions::TargetName();
    return std::nullopt;
}

/// What to do about the model.
Result<void> readWork(const CLI::App &app, const RawArguments &raw, BatchOptions &options)
{
    auto shapes = inputShapesOf(raw.inputs);
    if (!shapes)
        return tl::unexpected(shapes.error());
    options.inputShapes = std::move(*shapes);
    if (app.count("--batch-size"))
        options.batchSize = raw.batchSize;
    auto training = raw.training.read(app);
    if (!training)
        return tl::unexpected(training.error());
    options.training = *training;
    auto objective = raw.objective.read(app);
    if (!objective)
        return tl::unexpected(objective.error());
    options.objective = *std::move(objective);
    auto passes = passNamesOf(raw.passes);
    if (!passes)
        return tl::unexpected(passes.error());
    options.passes = std::move(*passes);
    for (const std::string &text : raw.settings) {
        auto setting = settingOf(text);
        if (!setting)
            return tl::unexpected(setting.error());
        options.settings.push_back(std::move(*setting));
    }
    if (app.count("--budget")) {
        const auto budget = budgetOf(raw.budget);
        if (!budget)
            return tl::unexpected(budget.error());
        options.budget = *budget;
    }
    if (app.count("--measure"))
        options.measure = raw.measure;
    auto target = targetOf(app, raw);
    if (!target)
        return tl::unexpected(target.error());
    options.target = std::move(*target);
    return {};
}

Result<void> readChecks(const CLI::App &app, const RawArguments &raw, BatchOptions &options)
{
    if (app.count("--verify")) {
        const auto tolerance = verifyToleranceOf(raw.verify);
        if (!tolerance)
            return tl::unexpected(tolerance.error());
        options.verify = *tolerance;
    }
    options.testData.assign(raw.testData.begin(), raw.testData.end());
    options.assertions = raw.assertions;
    options.baseline = optionalPath(raw.baseline);
    options.compare = optionalPath(raw.compare);
    for (const std::string &text : raw.tolerances) {
        auto tolerance = toleranceOf(text);
        if (!tolerance)
            return tl::unexpected(tolerance.error());
        options.tolerances.push_back(std::move(*tolerance));
    }
    if (!options.tolerances.empty() && !options.baseline)
        return fail(Error::Kind::Usage, "needs --baseline", "--tolerance " + raw.tolerances[0]);
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
    // First, since --verify may have taken the model for its tolerance.
    if (auto read = readChecks(app, raw, options); !read)
        return tl::unexpected(read.error());
    if (raw.model.empty())
        return fail(Error::Kind::Usage, "--batch needs a model: graphloom --batch MODEL.onnx");
    options.model = raw.model;
    if (auto read = readWork(app, raw, options); !read)
        return tl::unexpected(read.error());
    options.threads = raw.threads;
    options.seed = raw.seed;
    options.emitKernels = optionalPath(raw.emitKernels);
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
    if (options.exportFlat && !options.exportTo)
        return fail(Error::Kind::Usage, "--export-flat says how to write what --export names");
    if (!raw.progress.empty())
        options.progress = raw.progress == "bar"    ? ProgressStyle::Bar
                           : raw.progress == "json" ? ProgressStyle::Json
                                                    : ProgressStyle::None;
    return options;
}

} // namespace graphloom
