// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_job.h"

#include "app/run/target_run.h"
#include "app/tuning/plan_runner.h"
#include "engine/profile/user_profile.h"

#include <QCoreApplication>

namespace graphloom {

namespace {

struct DeviceJobText {
    Q_DECLARE_TR_FUNCTIONS(DeviceJob)
};

constexpr double tuned = 0.7; // share of tuning in the progress, if the job tunes

Result<std::shared_ptr<const Plan>>
tunedFor(const DeviceJob &job, const ChosenTarget &target,
         const std::optional<std::filesystem::path> &profile, const std::stop_token &stop,
         const std::function<void(double, std::string_view)> &progress)
{
    TuneOptions options;
    options.seconds = job.tuning->seconds;
    options.trials = job.tuning->trials;
    GL_TRY_CONST(opened, openOrMakeProfile(profile, stop));
    options.database = opened->database;
    if (!opened->problem.empty())
        progress(0, "trials are not kept: " + opened->problem);
    TargetRun run(target, {.threads = job.options.threads}, {stop, stop}, progress);
    Plan plan = *job.plan;
    plan.kernels = nullptr;
    GL_TRY(run.tune(plan, std::move(options)));
    return std::make_shared<const Plan>(std::move(plan));
}

} // namespace

void DeviceJob::note(const QString &line)
{
    log << QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + line;
}

QString nameOf(DeviceJob::State state)
{
    switch (state) {
    case DeviceJob::State::Waiting:
        return DeviceJobText::tr("Waiting");
    case DeviceJob::State::Running:
        return DeviceJobText::tr("Running");
    case DeviceJob::State::Done:
        return DeviceJobText::tr("Done");
    case DeviceJob::State::Stopped:
        return DeviceJobText::tr("Stopped");
    case DeviceJob::State::Failed:
        return DeviceJobText::tr("Failed");
    }
    return {};
}

QString workOf(const DeviceJob &job)
{
    return job.tuning ? DeviceJobText::tr("Tune, measure") : DeviceJobText::tr("Measure");
}

Result<PlanRunPointer> carryOut(const DeviceJob &job, const ChosenTarget &target,
                                const std::optional<std::filesystem::path> &profile,
                                std::stop_token stop,
                                const std::function<void(double, std::string_view)> &progress)
{
    std::shared_ptr<const Plan> plan = job.plan;
    double begin = 0;
    if (job.tuning) {
        GL_TRY_RESULT(made,
                      tunedFor(job, target, profile, stop, [&](double done, std::string_view what) {
                          progress(tuned * done, what);
                      }));
        plan = *std::move(made);
        begin = tuned;
    }
    return runPlan(
        std::move(plan), target, job.options, std::move(stop),
        [&](double done, std::string_view what) { progress(begin + (1 - begin) * done, what); });
}

} // namespace graphloom
