// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/target_steps.h"

#include "app/batch/summary.h"

namespace graphloom {

namespace {

/// What does not come to its end because it was cancelled is no error; the target is done with.
Result<void> unlessCancelled(BatchState &batch, const Error &error)
{
    if (!batch.interrupt.requested())
        return tl::unexpected(error);
    batch.target.reset();
    return {};
}

/// Texts of kernels alone need no compiler.
bool needsBuilding(const BatchState &batch)
{
    return !batch.options.emitKernels || batch.options.measure || batch.options.trace ||
           batch.options.verify || !batch.options.testData.empty();
}

/// --budget 0 is for default schedules; without a budget those are taken that were found before.
Result<void> tuneForTarget(BatchState &batch)
{
    if (batch.options.budget ? !batch.tunes() : !batch.profile || !needsBuilding(batch))
        return {};
    batch.log.begin("tune");
    TuneOptions options = tuneOptionsOf(batch.options.budget);
    options.database = batch.profile;
    if (auto done = batch.target->tune(*batch.plan, std::move(options)); !done)
        return done;
    if (batch.tunes())
        batch.log.recordPassed("target", "tune");
    batch.log.print(TargetRun::summaryOfTuning(*batch.plan->kernels));
    return {};
}

} // namespace

Result<void> buildForTarget(BatchState &batch)
{
    if (!batch.setup.target || batch.interrupt.requested())
        return {};
    batch.target.emplace(
        *batch.setup.target, batch.options,
        TargetRun::Stops{batch.interrupt.stop(), batch.interrupt.stop()},
        [&batch](double fraction, std::string_view text) { batch.log.update(fraction, text); });
    if (auto done = tuneForTarget(batch); !done)
        return unlessCancelled(batch, done.error());
    if (batch.options.emitKernels) {
        batch.log.begin("emit kernels");
        auto files = batch.target->kernelTexts(*batch.plan);
        if (!files)
            return unlessCancelled(batch, files.error());
        batch.kernelTexts = std::move(*files);
        if (!needsBuilding(batch)) {
            batch.target.reset();
            return {};
        }
    }
    batch.log.begin("build");
    if (auto done = batch.target->build(*batch.plan); !done)
        return unlessCancelled(batch, done.error());
    batch.log.recordPassed("target", "build");
    batch.log.print(batch.target->summaryOfBuild());
    return {};
}

Result<void> measureOnTarget(BatchState &batch)
{
    if (!batch.target || batch.interrupt.requested())
        return {};
    if (batch.options.measure) {
        batch.log.begin("measure");
        if (auto done = batch.target->measure(*batch.plan, {.runs = *batch.options.measure}); !done)
            return unlessCancelled(batch, done.error());
        batch.log.recordPassed("target", "measure");
        batch.log.print(batch.target->summaryOfMeasurement());
    }
    if (batch.options.trace) {
        batch.log.begin("trace");
        auto trace = batch.target->trace(batch.options.model.filename().string());
        if (!trace)
            return tl::unexpected(trace.error());
        batch.trace = std::move(*trace);
    }
    return {};
}

} // namespace graphloom
