// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"

#include "app/batch/pass_steps.h"
#include "app/batch/report_step.h"
#include "app/batch/summary.h"
#include "app/batch/target_steps.h"
#include "app/batch/verify_steps.h"
#include "engine/autodiff/training.h"
#include "engine/base/atomic_file.h"
#include "engine/onnx/export.h"
#include "engine/onnx/import.h"

#include <iostream>
#include <unistd.h>

namespace graphloom {

namespace {

Result<Plan> planOfTraining(Model model, const TrainingOptions &options)
{
    auto training = trainingModel(std::move(model), options);
    if (!training)
        return tl::unexpected(training.error());
    return initialPlan(std::make_shared<const Model>(std::move(training->model)),
                       std::move(training->record));
}

Result<void> open(BatchState &batch)
{
    batch.log.begin("open");
    ImportOptions import;
    import.inputShapes = batch.options.inputShapes;
    import.batchSize = batch.options.batchSize;
    import.stop = batch.interrupt.passes();
    auto model = importOnnx(batch.options.model, import);
    if (!model)
        return tl::unexpected(model.error());
    for (const std::string &warning : model->warnings)
        batch.log.warn(warning);
    auto plan = batch.options.training
                    ? planOfTraining(*std::move(model), *batch.options.training)
                    : importPlan(std::make_shared<const Model>(*std::move(model)));
    if (!plan)
        return tl::unexpected(plan.error());
    batch.plan = std::move(*plan);
    batch.log.recordPassed("batch", "open");
    batch.log.print(summaryOf(*batch.plan->model, *batch.plan));
    if (batch.plan->training)
        batch.log.print(summaryOf(*batch.plan->training));
    return {};
}

Result<void> carryOut(BatchState &batch, const BatchPlugins &plugins)
{
    auto setup = setUp(batch.options, plugins.passes, plugins.targets);
    if (!setup)
        return tl::unexpected(setup.error());
    batch.setup = std::move(*setup);
    batch.timers = plugins.timers;
    batch.content.environment = hostEnvironment(batch.options.threads);
    for (const auto step : {open, runPasses, buildForTarget, verifyAndExport, runTestData,
                            measureOnTarget, writeReport})
        if (auto done = step(batch); !done)
            return done;
    return {};
}

Result<void> writeJunit(const BatchState &batch)
{
    if (!batch.options.junit)
        return {};
    return writeFileAtomically(
        *batch.options.junit, junitOf(batch.options.model.filename().string(), batch.log.checks()));
}

} // namespace

int exitCodeOf(Error::Kind kind)
{
    switch (kind) {
    case Error::Kind::Usage:
        return 2;
    case Error::Kind::Model:
        return 3;
    case Error::Kind::Missing:
        return 4;
    case Error::Kind::Fault:
        break;
    }
    return 5;
}

std::string textForUser(const Error &error)
{
    std::string text = "graphloom: " + error.text();
    if (error.kind == Error::Kind::Fault) {
        const std::string file = error.raised.file_name();
        text += " (a fault of the program, at " + file.substr(file.rfind('/') + 1) + ":" +
                std::to_string(error.raised.line()) + ")";
    }
    return text;
}

int runBatch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
             std::ostream &err)
{
    BatchState batch{options,
                     {options.progress.value_or(ProgressStyle::Bar), out, err,
                      &err == &std::cerr && ::isatty(STDERR_FILENO)}};
    const auto done = carryOut(batch, plugins);
    if (!done) {
        batch.log.say(textForUser(done.error()));
        batch.log.record("batch", batch.log.stage(), Check::Outcome::Error, done.error().text());
    }
    if (auto written = writeJunit(batch); !written) {
        batch.log.say(textForUser(written.error()));
        if (done)
            return exitCodeOf(written.error().kind);
    }
    if (batch.interrupt.requested()) {
        batch.log.say("graphloom: cancelled");
        return exitCancelled;
    }
    if (!done)
        return exitCodeOf(done.error().kind);
    return batch.failed ? exitFailed : exitDone;
}

} // namespace graphloom
