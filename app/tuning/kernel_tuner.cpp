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
constexpr double measuredFirst = 0.1; // of the progress: measuring the plan as it is

struct TuneJob {
    std::shared_ptr<const Plan> plan;
    ChosenTarget target;
    RunOptions run;
    TuneLimits limits;
    std::optional<std::filesystem::path> profile;
    bool measured = false;
    std::function<void(double, std::string_view)> progress = {};
    std::function<void(PlanRunPointer)> took = {};
    std::function<void()> begun = {}; // with trials
    std::function<void(const std::string &)> warn = {};
    std::function<double()> clock = {};
    /// Waits while the run is held.
    std::function<void(const TuningTrial &, const std::stop_token &)> tried = {};
};

using Tuned = Result<std::shared_ptr<const KernelPlan>>;

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
        job.warn("What is measured is not kept: " + profile->problem);
    options.begun = job.begun;
    if (stop.stop_requested())
        return nullptr;
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
    return plan.kernels;
} catch (const std::exception &exception) { // out of memory: not the end of the session
    return fail(Error::Kind::Fault, exception.what());
}

} // namespace

struct KernelTuner::Shared {
    std::mutex mutex;
    std::vector<TuningTrial> trials; // that wait to be handed over
    std::optional<double> begun;     // by the clock of the control
    RunControl control;
    std::function<double()> clock = control.clock();
};

KernelTuner::KernelTuner(std::vector<TargetPlugin> targets,
                         std::optional<std::filesystem::path> profile)
    : m_targets(std::move(targets)), m_profile(std::move(profile))
{
    m_clock.setInterval(trialInterval);
    connect(&m_clock, &QTimer::timeout, this, &KernelTuner::hand);
}

void KernelTuner::start(std::shared_ptr<const Plan> plan, const RunOptions &run,
                        const TuneLimits &limits, bool measured)
{
    if (isRunning())
        return;
    const auto target = thisMachineAmong(m_targets);
    if (!target) {
        Q_EMIT failed(target.error());
        return;
    }
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
    // All are called from threads that work.
    job.progress = m_worker.progress(
        [this](double fraction, const QString &what) { Q_EMIT progress(fraction, what); });
    job.took = [this, post = m_worker.poster()](PlanRunPointer taken) {
        post([this, parcel = Parcel(std::move(taken))] { Q_EMIT this->measured(parcel.open()); });
    };
    job.warn = [this, post = m_worker.poster()](const std::string &text) {
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
    m_worker.announce(m_jobs, tr("Tuning kernels"));
    m_worker.start([job = std::move(job)](std::stop_token stop) { return tuneKernels(job, stop); },
                   [this](const Tuned &kernels) {
                       m_clock.stop();
                       hand();
                       // What was stopped half-way fails, too, in places.
                       if (!kernels && !m_worker.isStopped())
                           Q_EMIT failed(kernels.error());
                       Q_EMIT finished(kernels ? *kernels : nullptr, m_worker.isStopped());
                   });
    m_clock.start();
    Q_EMIT started();
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
    if (m_shared)
        m_shared->control.hold(held && isRunning());
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
    m_worker.abandon();
    hold(false);
    Q_EMIT finished(nullptr, true);
}

} // namespace graphloom
