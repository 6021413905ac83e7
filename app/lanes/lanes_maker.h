// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/lanes/lanes.h"

namespace graphloom {

/// Makes the lanes of the run that is shown, on a worker thread.
class LanesMaker final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Sets the list in which the work appears; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Makes the lanes of a run; null: there is none. Those of the same run are not made again.
    void setRun(const PlanRunPointer &run);
    bool isRunning() const { return m_worker.isRunning(); }
    /// Tells whether the lanes of the last run are missing, because the user stopped the work.
    /// setRun() makes them then.
    bool isMissing() const { return m_isMissing; }

Q_SIGNALS:
    /// Emitted when the lanes are there; null for no run, for one that was not traced, and when the
    /// user stopped the work.
    void ready(const graphloom::LanesPointer &lanes);

private:
    PlanRunPointer m_run;
    bool m_isMissing = false;
    JobList *m_jobs = nullptr;
    Worker m_worker; // declared last, so that its thread ends first
};

} // namespace graphloom
