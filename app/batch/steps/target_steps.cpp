// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/steps/target_steps.h"

#include "app/batch/report/summary.h"
#include "app/run/measured_runs.h"

#include <chrono>

namespace graphloom {

namespace {

TargetRun runOn(BatchState &batch, const ChosenTarget &target)
{
    return TargetRun(
        target,
        TargetRun::Options{.threads = batch.options.threads,
                           .seed = batch.options.seed,
                           .pinned = batch.options.measure.has_value()},
        TargetRun::Stops{batch.interrupt.stop(), batch.interrupt.stop()},
        [&batch](double fraction, std::string_view text) { batch.log.update(fraction, text); });
}

/// Returns no error if the step ended because of the cancellation; the target is released then.
Result<void> unlessCancelled(BatchState &batch, const Error &error)
{
    if (!batch.interrupt.requested())
        return tl::unexpected(error);
    batch.target.reset();
    return {};
}

const char *ruleOf(TargetMessage::Kind kind)
{
    switch (kind) {
    case TargetMessage::Kind::DamagedKernel:
        return "GL5001";
    case TargetMessage::Kind::NoKernelFolder:
        return "GL5002";
    case TargetMessage::Kind::TunedByModel:
        break;
    }
    return "GL5006";
}

/// Reports each warning once; repaired damage is only recorded as a diagnostic.
void tellMessages(BatchState &batch, TargetRun &target)
{
    for (const TargetMessage &message : target.takeMessages()) {
        const Diagnostic diagnostic{ruleOf(message.kind), message.text};
        const bool isKnown = std::ranges::any_of(batch.noticed, [&](const Diagnostic &known) {
            return known.rule == diagnostic.rule && known.message == diagnostic.message;
        });
        if (isKnown)
            continue;
        batch.noticed.push_back(diagnostic);
        if (message.kind != TargetMessage::Kind::DamagedKernel)
            batch.log.warn(message.text);
    }
}

void tellFailedKernels(BatchState &batch, const std::vector<PlanStep> &steps,
                       const std::string &plan)
{
    const auto failed = failedKernels(steps);
    if (!failed)
        return;
    batch.log.warn(plan + *failed);
    batch.noticed.push_back({"GL5004", plan + *failed});
}

/// Tunes kernels: --budget 0 keeps default schedules, no budget reuses schedules found before.
Result<void> tuneForTarget(BatchState &batch)
{
    if (batch.options.budget ? !batch.tunes() : !batch.profile || !buildsPlan(batch.options))
        return {};
    batch.log.begin("tune");
    TuneOptions options = tuneOptionsOf(batch.options.budget);
    options.database = batch.profile;
    options.modelled = batch.options.modelledTimes;
    const Plan before = *batch.plan;
    const auto done = batch.target->tune(*batch.plan, std::move(options));
    tellMessages(batch, *batch.target);
    if (!done)
        return done;
    if (batch.tunes())
        batch.log.recordPassed("target", "tune");
    batch.log.print(summaryOfTuning(batch.target->outcome(), before, *batch.plan));
    if (batch.options.modelledTimes && batch.options.device &&
        (batch.options.emitKernels || batch.options.emitPackage || buildsPlan(batch.options)))
        batch.log.warn("the plan is tuned for " + *batch.options.device +
                       "; kernels for this machine have default schedules");
    return {};
}

/// Adds what was measured to the history of its device, if there is a database of measurements.
void keepInHistory(BatchState &batch, const TargetOutcome &outcome)
{
    if (!batch.profile || !outcome.after)
        return;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const auto kept = batch.profile->noteRun(profiledRun(*batch.plan, outcome,
                                                         batch.options.model.filename().string(),
                                                         {machineName(), now.count()}));
    if (!kept)
        batch.log.warn("the measurement is not in the history: " + kept.error().text());
}

/// Measures the result on a further target, alone: the original was measured on the first one.
Result<void> measureOnOther(BatchState &batch, const ChosenTarget &chosen)
{
    const std::string name = nameOf(chosen);
    batch.log.begin("measure on " + name);
    TargetRun target = runOn(batch, chosen);
    auto done = target.build(*batch.plan);
    if (done)
        done = target.measureAlone({.runs = *batch.options.measure});
    tellMessages(batch, target);
    if (!done)
        return done;
    tellFailedKernels(batch, target.outcome().steps, name + ": ");
    batch.log.print(summaryOfBuild(target.outcome()));
    batch.log.print(summaryOfMeasurement(target.outcome()));
    keepInHistory(batch, target.outcome());
    batch.otherOutcomes.push_back(target.outcome());
    return {};
}

} // namespace

Result<void> buildForTarget(BatchState &batch)
{
    if (!batch.setup.target || batch.interrupt.requested())
        return {};
    batch.target.emplace(runOn(batch, *batch.setup.target));
    if (auto done = tuneForTarget(batch); !done)
        return unlessCancelled(batch, done.error());
    if (batch.options.emitKernels) {
        batch.log.begin("emit kernels");
        auto files = batch.target->kernelTexts(*batch.plan);
        if (!files)
            return unlessCancelled(batch, files.error());
        batch.kernelTexts = std::move(*files);
    }
    if (batch.options.emitPackage) {
        batch.log.begin("emit package");
        auto package = batch.target->package(*batch.plan, batch.options.model.stem().string(),
                                             batch.options.partial, *batch.options.emitPackage);
        if (!package)
            return unlessCancelled(batch, package.error());
        batch.package.emplace(*std::move(package));
    }
    if (!buildsPlan(batch.options)) {
        batch.target.reset();
        return {};
    }
    batch.log.begin("build");
    const auto built = batch.target->build(*batch.plan);
    tellMessages(batch, *batch.target);
    if (!built)
        return unlessCancelled(batch, built.error());
    tellFailedKernels(batch, batch.target->outcome().steps, {});
    batch.log.recordPassed("target", "build");
    batch.log.print(summaryOfBuild(batch.target->outcome()));
    return {};
}

Result<void> measureOnTarget(BatchState &batch)
{
    if (!batch.target || batch.interrupt.requested())
        return {};
    if (batch.options.measure) {
        batch.log.begin("measure");
        const auto done = batch.target->measure(*batch.plan, {.runs = *batch.options.measure});
        tellMessages(batch, *batch.target);
        if (!done)
            return unlessCancelled(batch, done.error());
        tellFailedKernels(batch, batch.target->outcome().stepsBefore, "original graph: ");
        batch.log.recordPassed("target", "measure");
        batch.log.print(summaryOfMeasurement(batch.target->outcome()));
        keepInHistory(batch, batch.target->outcome());
        for (const ChosenTarget &other : batch.setup.otherTargets) {
            const auto measured = measureOnOther(batch, other);
            if (batch.interrupt.requested())
                break; // what has been measured stays
            GL_TRY(measured);
        }
    }
    if (batch.options.trace) {
        batch.log.begin("trace");
        GL_TRY_RESULT(trace, batch.target->trace(batch.options.model.filename().string()));
        batch.trace = std::move(*trace);
    }
    return {};
}

} // namespace graphloom
