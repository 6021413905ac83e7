// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "engine/target/target_plugins.h"

#include <QObject>

namespace graphloom {

/// Carries out work on a target of this machine, on a thread, one piece of work at a time.
class MachineWorker : public QObject {
    Q_OBJECT

public:
    /// Sets the list that shows the work; null for none.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    bool isRunning() const { return m_worker.isRunning(); }

Q_SIGNALS:
    void started();
    void progress(double fraction, const QString &what);
    void failed(const graphloom::Error &error);

protected:
    explicit MachineWorker(std::vector<TargetPlugin> targets) : m_targets(std::move(targets)) {}

    /// Returns the target for new work on a plan. Returns nothing while other work runs, and
    /// reports failed() if no target runs on this machine.
    std::optional<ChosenTarget> targetForNewWork(const Plan &plan);
    /// Returns a function that reports the progress of the work that begins next; see Worker.
    std::function<void(double, std::string_view)> reporter();
    /// Begins work(stop_token), whose result done() gets. `what` names it in the list of jobs.
    template <class Work, class Done> void begin(const QString &what, Work work, Done done)
    {
        m_worker.announce(m_jobs, what);
        m_worker.start(std::move(work), std::move(done));
        Q_EMIT started();
    }
    /// Returns the result of the work. If it has failed, returns null and reports failed(), unless
    /// the work was stopped: then it may fail, too.
    template <class Pointer> Pointer resultOf(const Result<Pointer> &result)
    {
        if (!result && !m_worker.isStopped())
            Q_EMIT failed(result.error());
        return result ? *result : nullptr;
    }
    Worker &worker() { return m_worker; }

private:
    const std::vector<TargetPlugin> m_targets;
    JobList *m_jobs = nullptr;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
