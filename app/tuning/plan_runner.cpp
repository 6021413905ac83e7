// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/plan_runner.h"

#include "app/common/format.h"
#include "app/run/target_run.h"

#include <exception>

namespace graphloom {

namespace {

// Parts of the work, as shares of the time that it takes where nothing was built before.
constexpr double built = 0.6, measured = 0.95;

} // namespace

Result<PlanRunPointer> runPlan(std::shared_ptr<const Plan> plan, const ChosenTarget &target,
                               const RunOptions &options, std::stop_token stop,
                               const std::function<void(double, std::string_view)> &progress,
                               const BeforeTuning &before)
try {
    double from = 0, to = built;
    TargetRun run(
        target, {.threads = options.threads, .pinned = true}, {stop, stop},
        [&](double done, std::string_view what) { progress(from + (to - from) * done, what); });
    GL_TRY(run.build(*plan));
    if (stop.stop_requested())
        return fail(Error::Kind::Stopped, "stopped");
    from = built;
    to = measured;
    const MeasureOptions measure = {.runs = options.runs, .seconds = options.seconds};
    GL_TRY(before.plan ? run.measureBeside(*before.plan, measure) : run.measureAlone(measure));

    PlanRun result;
    for (const TargetMessage &message : run.takeMessages())
        if (message.kind != TargetMessage::Kind::DamagedKernel)
            result.warnings << fromUtf8(message.text);
    result.warnings.removeDuplicates();
    result.outcome = run.outcome();
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
        result.noDevice = fromUtf8(device.error().text());
    result.plan = std::move(plan);
    return planRunOf(std::move(result));
} catch (const std::exception &exception) { // out of memory: not the end of the session
    return fail(Error::Kind::Fault, exception.what());
}

void PlanRunner::start(std::shared_ptr<const Plan> plan, const RunOptions &options,
                       const BeforeTuning &before)
{
    if (isRunning())
        return;
    const auto target = thisMachineAmong(m_targets);
    if (!target) {
        Q_EMIT failed(target.error());
        return;
    }
    const auto report = m_worker.progress(
        [this](double fraction, const QString &what) { Q_EMIT progress(fraction, what); });
    m_worker.announce(m_jobs, tr("Running on this machine"));
    m_worker.start(
        [plan = std::move(plan), target = *target, options, report, before](std::stop_token stop) {
            return runPlan(plan, target, options, stop, report, before);
        },
        [this](const Result<PlanRunPointer> &result) {
            if (!result && !m_worker.isStopped())
                Q_EMIT failed(result.error());
            Q_EMIT finished(result ? *result : nullptr, m_worker.isStopped());
        });
    Q_EMIT started();
}

void PlanRunner::abandon()
{
    if (!isRunning())
        return;
    m_worker.abandon();
    Q_EMIT finished(nullptr, true);
}

} // namespace graphloom
