// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/timeline/memory_timeline.h"

namespace graphloom {

/// Makes the memory timelines of what is shown, on a thread. While a pass works, states of its plan
/// that come faster than they can be looked at are left out.
class TimelineMaker final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Where the work is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Null: nothing is shown. `live`: of a pass at work, which does not stop what is being made.
    void setSnapshot(const SnapshotPointer &snapshot, bool live = false);
    bool isRunning() const { return m_worker.isRunning(); }

Q_SIGNALS:
    /// Somebody stopped it.
    void cancelled();
    /// The last is null without a graph before.
    void ready(const graphloom::SnapshotPointer &snapshot,
               const graphloom::TimelinePointer &timeline,
               const graphloom::TimelinePointer &before);

private:
    struct Made {
        TimelinePointer timeline, before;
    };
    void start(const SnapshotPointer &snapshot);

    SnapshotPointer m_next;  // of a pass at work, while another is being made
    SnapshotPointer m_shown; // that `m_made` is of
    Made m_made;
    JobList *m_jobs = nullptr;
    Worker m_worker; // last: its thread ends first
};

} // namespace graphloom
