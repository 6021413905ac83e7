// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"

#include "app/batch/steps/compare_step.h"
#include "app/batch/steps/dry_run.h"
#include "app/batch/steps/figures_step.h"
#include "app/batch/steps/open_step.h"
#include "app/batch/steps/output_steps.h"
#include "app/batch/steps/pass_steps.h"
#include "app/batch/steps/target_steps.h"
#include "app/batch/steps/verify_steps.h"
#include "app/batch/terminal/terminal_text.h"
#include "engine/base/steps.h"

#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace graphloom {

namespace {

Result<void> carryOut(BatchState &batch, const BatchPlugins &plugins)
{
    batch.content.environment = hostEnvironment(batch.options.threads);
    GL_TRY(checkPlaces(batch.options));
    GL_TRY_RESULT(setup,
                  setUp(batch.options, plugins.passes, plugins.targets, batch.interrupt.stop()));
    batch.setup = std::move(*setup);
    batch.timers = plugins.timers([&batch](const std::string &text) { batch.log.warn(text); });
    batch.drawPictures = plugins.drawPictures;
    if (batch.options.dryRun)
        return rehearseBatch(batch);
    for (const auto step : {openModel, openCompared, runPasses, buildForTarget, stageAndVerify,
                            runTestData, measureOnTarget})
        if (auto done = step(batch); !done) {
            // A step that ended because of the cancellation is not an error.
            if (!batch.interrupt.requested() || !batch.plan)
                return done;
            batch.log.warn(done.error().text());
        }
    GL_TRY(checkFigures(batch));
    batch.reached.beginWriting();
    for (const auto step : {placeProducts, writeAccounts})
        GL_TRY(step(batch));
    return {};
}

/// Reports exceptions, such as exhausted memory, like any other failure; memory is available again
/// after unwinding, so the verdicts can still be written.
Result<void> carryOutGuarded(BatchState &batch, const BatchPlugins &plugins)
{
    try {
        return carryOut(batch, plugins);
    } catch (const std::bad_alloc &) {
        return fail(Error::Kind::Missing, "not enough memory", batch.log.stage());
    } catch (const std::length_error &) { // a container larger than its max_size()
        return fail(Error::Kind::Missing, "not enough memory", batch.log.stage());
    } catch (const std::filesystem::filesystem_error &error) {
        return fail(Error::Kind::Missing, error.what(), batch.log.stage());
    } catch (const std::exception &fault) {
        return fail(Error::Kind::Fault, fault.what(), batch.log.stage());
    }
}

void tellStart(BatchState &batch)
{
    batch.log.tell("start", {{"version", GRAPHLOOM_VERSION},
                             {"model", batch.options.model.string()},
                             {"passes", batch.options.passes},
                             {"dry_run", batch.options.dryRun}});
}

/// Returns false if JUnit or SARIF would overwrite another file, whatever else was refused.
bool mayWriteVerdicts(const BatchOptions &options)
{
    BatchOptions verdicts;
    verdicts.model = options.model;
    verdicts.baseline = options.baseline;
    verdicts.compare = options.compare;
    verdicts.junit = options.junit;
    verdicts.sarif = options.sarif;
    return checkPlaces(verdicts).has_value();
}

int finalCodeOf(const BatchState &batch)
{
    // A cancelled run exits as cancelled even if it also failed for another reason.
    if (batch.interrupt.requested())
        return exitCancelled;
    if (batch.error)
        return exitCodeOf(batch.error->kind);
    return batch.failed ? exitFailed : exitDone;
}

} // namespace

int runBatch(const BatchOptions &options, const BatchPlugins &plugins, std::ostream &out,
             std::ostream &err)
{
    BatchState batch{options,
                     {options.progress.value_or(ProgressStyle::Bar), out, err,
                      &err == &std::cerr && ::isatty(STDERR_FILENO)}};
    tellStart(batch);
    if (auto done = carryOutGuarded(batch, plugins); !done) {
        batch.error = done.error();
        batch.errorStage = batch.log.stage();
        // The cancellation itself is reported below.
        if (!batch.interrupt.requested() || !isStopped(done.error()))
            batch.log.say(textForUser(done.error()));
        batch.log.record("batch", batch.errorStage, Check::Outcome::Error, done.error().text());
        if (!options.dryRun)
            tellUnwritten(batch);
    }
    batch.reached.beginWriting(); // if the run ended before writing
    if (!options.dryRun && mayWriteVerdicts(options)) {
        if (auto written = writeVerdicts(batch, finalCodeOf(batch)); !written) {
            batch.log.say(textForUser(written.error()));
            if (!batch.error)
                batch.error = written.error();
        }
    }
    if (batch.interrupt.requested())
        batch.log.say("graphloom: cancelled", "warning");
    const int code = finalCodeOf(batch);
    nlohmann::ordered_json end = {{"code", code}, {"failed", batch.failed}};
    if (batch.error)
        end["error"] = batch.error->text();
    batch.log.tell("end", end);
    out << std::flush;
    batch.reached.endWriting();
    return code;
}

} // namespace graphloom
