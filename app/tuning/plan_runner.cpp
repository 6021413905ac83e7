// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/plan_runner.h"

#include "app/common/format.h"
#include "app/run/target_run.h"
#include "engine/base/monotone_progress.h"

#include <QDateTime>

#include <exception>
#include <utility>

namespace graphloom {

namespace {

// Shares of the stages in the time of a run without a cached build.
constexpr double built = 0.6, measured = 0.95;

} // namespace

Result<PlanRunPointer> runPlan(std::shared_ptr<const Plan> plan, const ChosenTarget &target,
                               const RunOptions &options, std::stop_token stop,
                               const std::function<void(double, std::string_view)> &progress,
                               const BeforeTuning &before)
try {
    // What the plan is compared with.
    const auto other = before.plan      ? before.plan
                       : options.beside ? std::make_shared<const Plan>(unfusedPlan(*plan))
                                        : nullptr;
    double from = 0, to = other ? built / 2 : built;
    const auto forward = monotone(progress); // measuring builds the other plan first
    TargetRun run(
        target, {.threads = options.threads, .pinned = true, .traced = true}, {stop, stop},
        [&](double done, std::string_view what) { forward(from + (to - from) * done, what); });
    GL_TRY(run.build(*plan));
    if (stop.stop_requested())
        return fail(Error::Kind::Stopped, "stopped");
    from = std::exchange(to, measured);
    const MeasureOptions measure = {.runs = options.runs, .seconds = options.seconds};
    GL_TRY(other ? run.measureBeside(*other, measure) : run.measureAlone(measure));

    PlanRun result;
    for (const TargetMessage &message : run.takeMessages())
        if (message.kind != TargetMessage::Kind::DamagedKernel)
            result.warnings << fromUtf8(message.text);
    result.warnings.removeDuplicates();
    result.outcome = run.outcome();
    result.outcome.besideOriginal = other && !before.plan;
    result.tuning = before.log;
    BuildOptions generate;
    generate.device = target.device;
    generate.threads = options.threads;
    GL_TRY_RESULT(sources, target.target->generate(*plan, generate));
    result.sources = *std::move(sources);
    progress(measured, "measuring peaks");
    auto device = target.target->describe(target.device, stop);
    if (device)
        result.device = *std::move(device);
    else
        result.noDevice = device.error().text();
    result.plan = std::move(plan);
    result.at = {machineName(), QDateTime::currentMSecsSinceEpoch()};
    return planRunOf(std::move(result));
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what());
}

void PlanRunner::start(std::shared_ptr<const Plan> plan, const RunOptions &options,
                       const BeforeTuning &before)
{
    const auto target = targetForNewWork(*plan);
    if (!target)
        return;
    begin(
        tr("Running on this machine"),
        [plan = std::move(plan), target = *target, options, report = reporter(), before](
            std::stop_token stop) { return runPlan(plan, target, options, stop, report, before); },
        [this](const Result<PlanRunPointer> &result) {
            const PlanRunPointer run = resultOf(result);
            Q_EMIT finished(run, worker().isStopped());
        });
}

void PlanRunner::abandon()
{
    if (!isRunning())
        return;
    worker().abandon();
    Q_EMIT finished(nullptr, true);
}

} // namespace graphloom
