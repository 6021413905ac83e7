// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_maker.h"

namespace graphloom {

namespace {

bool isOfTheSame(const Snapshot &a, const Snapshot &b)
{
    return a.path == b.path && a.nested == b.nested && a.plan->model == b.plan->model &&
           a.plan->memory == b.plan->memory && a.plan->fusion == b.plan->fusion &&
           a.facts == b.facts && a.plan->history.size() == b.plan->history.size();
}

} // namespace

void TimelineMaker::setSnapshot(const SnapshotPointer &snapshot, bool live)
{
    m_next = nullptr;
    if (!snapshot) {
        m_worker.abandon();
        m_shown = nullptr;
        m_made = {};
        Q_EMIT ready(nullptr, nullptr, nullptr);
    } else if (live && m_worker.isRunning()) {
        m_next = snapshot;
    } else if (m_shown && isOfTheSame(*m_shown, *snapshot)) {
        m_worker.abandon();
        m_shown = snapshot;
        Q_EMIT ready(snapshot, m_made.timeline, m_made.before);
    } else {
        start(snapshot);
    }
}

void TimelineMaker::start(const SnapshotPointer &snapshot)
{
    m_worker.announce(m_jobs, tr("Computing the memory timeline"));
    m_worker.start(
        [snapshot](std::stop_token stop) {
            return Made{timelineOf(*snapshot, stop),
                        snapshot->nested ? nullptr : timelineBefore(*snapshot->plan)};
        },
        [this, snapshot](const Made &made) {
            if (made.timeline) {
                m_made = made;
                m_shown = snapshot;
                Q_EMIT ready(snapshot, made.timeline, made.before);
            } else {
                Q_EMIT cancelled();
            }
            if (const SnapshotPointer next = std::exchange(m_next, nullptr))
                start(next);
        });
}

} // namespace graphloom
