// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/tuning/plan_runner.h"

#include <QTimer>

namespace graphloom {

/// Tunes the kernels of a plan for this machine, on a thread, one plan at a time. Measures the plan
/// first where that was not done, so that there is something to tell of. Trials, which may come in
/// thousands a second, are handed over a few times a second.
class KernelTuner final : public QObject {
    Q_OBJECT

public:
    /// `profile`: the database that gets the trials; none: the user's own, made if need be.
    KernelTuner(std::vector<TargetPlugin> targets, std::optional<std::filesystem::path> profile);

    /// Where the work is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Not while another one is tuned. `measured`: is there a run of the plan already?
    /// Fails at once where no target runs on this machine.
    void start(std::shared_ptr<const Plan> plan, const RunOptions &run, const TuneLimits &limits,
               bool measured);
    /// Stops; the best so far is kept.
    void cancel()
    {
        m_worker.stop();
        hold(false);
    }
    /// Nothing is tried while it is held, and its time stands still. What is tried already ends.
    void hold(bool held);
    /// Seconds of the run, without those in which it was held.
    std::function<double()> clock() const;
    /// Stops and forgets the result.
    void abandon();
    bool isRunning() const { return m_worker.isRunning(); }
    /// What is tuned, or was last.
    const std::shared_ptr<const Plan> &plan() const { return m_plan; }
    const RunOptions &runOptions() const { return m_runOptions; }
    const TuneLimits &limits() const { return m_limits; }
    /// Of the limit, once trials have begun.
    std::optional<double> secondsLeft() const;

Q_SIGNALS:
    void started();
    void progress(double fraction, const QString &what);
    /// The plan as it is, before its kernels are tuned.
    void measured(const graphloom::PlanRunPointer &run);
    /// About ten times a second; perhaps with none.
    void tried(const std::vector<graphloom::TuningTrial> &trials);
    /// Null when stopped before kernels were tuned, or failed.
    void finished(const std::shared_ptr<const graphloom::KernelPlan> &kernels, bool cancelled);
    void failed(const graphloom::Error &error);
    void warned(const QString &text);

private:
    struct Shared; // with the thread
    void hand();

    const std::vector<TargetPlugin> m_targets;
    const std::optional<std::filesystem::path> m_profile;
    std::shared_ptr<const Plan> m_plan;
    RunOptions m_runOptions;
    TuneLimits m_limits;
    std::shared_ptr<Shared> m_shared; // of the run
    QTimer m_clock;
    JobList *m_jobs = nullptr;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
