// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/timeline/memory_timeline.h"

namespace graphloom {

/// Makes the memory timelines of what is shown, on a worker thread. While a pass runs, states of
/// its plan that arrive faster than timelines can be made are skipped.
class TimelineMaker final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Sets the list in which the work appears; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Makes the timeline of a snapshot; null: nothing is shown. `live` marks a snapshot of a
    /// running pass, which does not interrupt the timeline being made.
    void setSnapshot(const SnapshotPointer &snapshot, bool live = false);
    bool isRunning() const { return m_worker.isRunning(); }

Q_SIGNALS:
    /// Emitted when the user stopped the work.
    void cancelled();
    /// Emitted when the timeline of a snapshot is ready. `before` is null when there is no graph
    /// before a pass. All are null when nothing is shown.
    void ready(const graphloom::SnapshotPointer &snapshot,
               const graphloom::TimelinePointer &timeline,
               const graphloom::TimelinePointer &before);

private:
    struct Made {
        TimelinePointer timeline, before;
    };
    void start(const SnapshotPointer &snapshot);

    SnapshotPointer m_next;  // of a running pass, to be made next
    SnapshotPointer m_shown; // the snapshot that m_made is of
    Made m_made;
    JobList *m_jobs = nullptr;
    Worker m_worker; // declared last, so that its thread ends first
};

} // namespace graphloom
