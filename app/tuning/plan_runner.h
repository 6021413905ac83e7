// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/results/plan_run.h"
#include "engine/target/target_plugins.h"

#include <QObject>

namespace graphloom {

/// What a plan is compared with that was tuned.
struct BeforeTuning {
    std::shared_ptr<const Plan> plan; // with the schedules from before; null: it is not compared
    TuningLogPointer log;             // what was tried
};

/// Builds the plan for a target, warms up, measures, and asks for the device's peaks; `progress`
/// gets the fraction done in 0..1. What it is compared with is measured in turns with it. Stopped
/// while it measures it has what was measured so far. Fails as building and measuring do, and
/// (Model) where inputs have no static shapes; (Fault) when stopped before anything was measured.
Result<PlanRunPointer> runPlan(std::shared_ptr<const Plan> plan, const ChosenTarget &target,
                               const RunOptions &options, std::stop_token stop,
                               const std::function<void(double, std::string_view)> &progress,
                               const BeforeTuning &before = {});

/// Runs plans on this machine, on a thread, one at a time.
class PlanRunner final : public QObject {
    Q_OBJECT

public:
    explicit PlanRunner(std::vector<TargetPlugin> targets) : m_targets(std::move(targets)) {}

    /// Where the work is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Not while another one runs. Fails at once where no target runs on this machine.
    void start(std::shared_ptr<const Plan> plan, const RunOptions &options,
               const BeforeTuning &before = {});
    /// Stops; what was measured so far is kept.
    void cancel() { m_worker.stop(); }
    /// Stops and forgets the result.
    void abandon();
    bool isRunning() const { return m_worker.isRunning(); }

Q_SIGNALS:
    void started();
    void progress(double fraction, const QString &what);
    /// Null when stopped before anything was measured, or failed.
    void finished(const graphloom::PlanRunPointer &run, bool cancelled);
    void failed(const graphloom::Error &error);

private:
    const std::vector<TargetPlugin> m_targets;
    JobList *m_jobs = nullptr;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
