// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/kernel_tuner.h"

#include "app/common/format.h"
#include "app/run/target_run.h"
#include "engine/profile/user_profile.h"
#include "engine/worker/run_control.h"

#include <exception>
#include <mutex>

namespace graphloom {

namespace {

constexpr std::chrono::milliseconds trialInterval{100};
constexpr double measuredFirst = 0.1; // share of the progress for measuring the current plan

struct TuneJob {
    std::shared_ptr<const Plan> plan;
    ChosenTarget target;
    RunOptions run;
    TuneLimits limits;
    std::optional<std::filesystem::path> profile;
    bool measured = false;
    std::function<void(double, std::string_view)> progress = {};
    std::function<void(PlanRunPointer)> took = {};
    std::function<void()> begun = {}; // when the time of the limits begins to count
    std::function<void(const std::string &)> warn = {};
    std::function<double()> clock = {};
    /// Waits while the run is paused.
    std::function<void(const TuningTrial &, const std::stop_token &)> tried = {};
};

using Tuned = Result<std::shared_ptr<const Plan>>;

Tuned tuneKernels(const TuneJob &job, std::stop_token stop)
try {
    if (!job.measured) {
        auto run =
            runPlan(job.plan, job.target, job.run, stop, [&](double done, std::string_view what) {
                job.progress(measuredFirst * done, what);
            });
        if (!run)
            return tl::unexpected(run.error());
        job.took(*run);
    }
    TuneOptions options;
    options.seconds = job.limits.seconds;
    options.trials = job.limits.trials;
    options.clock = job.clock;
    options.tried = [&](const TuningTrial &trial) { job.tried(trial, stop); };
    GL_TRY_CONST(profile, openOrMakeProfile(job.profile, stop));
    options.database = profile->database;
    if (!profile->problem.empty())
        job.warn("Measurements are not stored: " + profile->problem);
    if (stop.stop_requested())
        return nullptr;
    job.begun();
    TargetRun run(job.target, {.threads = job.run.threads}, {stop, stop},
                  [&](double done, std::string_view what) {
                      job.progress(measuredFirst + (1 - measuredFirst) * done, what);
                  });
    Plan plan = *job.plan;
    plan.kernels = nullptr;
    const auto tuned = run.tune(plan, std::move(options));
    for (const TargetMessage &message : run.takeMessages())
        if (message.kind != TargetMessage::Kind::DamagedKernel)
            job.warn(message.text);
    if (!tuned)
        return tl::unexpected(tuned.error());
    return std::make_shared<const Plan>(std::move(plan));
} catch (const std::exception &exception) { // such as out of memory, which must not end the session
    return fail(Error::Kind::Fault, exception.what());
}

} // namespace

struct KernelTuner::Shared {
    std::mutex mutex;
    std::vector<TuningTrial> trials; // not handed over yet
    std::optional<double> begun;     // by the clock of the control
    RunControl control;
    std::function<double()> clock = control.clock();
};

KernelTuner::KernelTuner(std::vector<TargetPlugin> targets,
                         std::optional<std::filesystem::path> profile)
    : MachineWorker(std::move(targets)), m_profile(std::move(profile))
{
    m_clock.setInterval(trialInterval);
    connect(&m_clock, &QTimer::timeout, this, &KernelTuner::hand);
}

void KernelTuner::start(std::shared_ptr<const Plan> plan, const RunOptions &run,
                        const TuneLimits &limits, bool measured)
{
    const auto target = targetForNewWork(*plan);
    if (!target)
        return;
    m_plan = plan;
    m_runOptions = run;
    m_limits = limits;
    m_shared = std::make_shared<Shared>();
    TuneJob job{.plan = std::move(plan),
                .target = *target,
                .run = run,
                .limits = limits,
                .profile = m_profile,
                .measured = measured};
    // All of these are called from worker threads.
    job.progress = reporter();
    job.took = [this, post = worker().poster()](PlanRunPointer taken) {
        post([this, parcel = Parcel(std::move(taken))] { Q_EMIT this->measured(parcel.open()); });
    };
    job.warn = [this, post = worker().poster()](const std::string &text) {
        post([this, warning = fromUtf8(text)] { Q_EMIT warned(warning); });
    };
    job.begun = [shared = m_shared] {
        const std::lock_guard lock(shared->mutex);
        shared->begun = shared->clock();
    };
    job.clock = [shared = m_shared] { return shared->clock(); };
    job.tried = [shared = m_shared](const TuningTrial &trial, const std::stop_token &stop) {
        {
            const std::lock_guard lock(shared->mutex);
            shared->trials.push_back(trial);
        }
        shared->control.wait(stop);
    };
    m_clock.start();
    begin(
        tr("Tuning kernels"),
        [job = std::move(job)](std::stop_token stop) { return tuneKernels(job, stop); },
        [this](const Tuned &tuned) {
            m_clock.stop();
            hand();
            Q_EMIT finished(resultOf(tuned), worker().isStopped());
        });
}

void KernelTuner::hand()
{
    std::vector<TuningTrial> trials;
    {
        const std::lock_guard lock(m_shared->mutex);
        trials.swap(m_shared->trials);
    }
    Q_EMIT tried(trials);
}

std::optional<double> KernelTuner::secondsLeft() const
{
    if (!m_shared)
        return std::nullopt;
    const std::lock_guard lock(m_shared->mutex);
    if (!m_shared->begun)
        return std::nullopt;
    return std::max(0.0, m_limits.seconds - (m_shared->clock() - *m_shared->begun));
}

void KernelTuner::hold(bool held)
{
    if (!m_shared)
        return;
    m_shared->control.hold(held && isRunning());
    worker().setPaused(held && isRunning());
}

std::function<double()> KernelTuner::clock() const
{
    return [shared = m_shared] { return shared ? shared->clock() : 0; };
}

void KernelTuner::abandon()
{
    if (!isRunning())
        return;
    m_clock.stop();
    worker().abandon();
    hold(false);
    Q_EMIT finished(nullptr, true);
}

} // namespace graphloom
