// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/graph/drawing_controller.h"
#include "app/sides/counterparts.h"
#include "app/snapshot/selection.h"

#include <QObject>

namespace graphloom {

/// Shows another plan beside the current one: holds its selection and its drawing, which follow
/// those of the current plan, and the other way round. The nodes are matched on a worker, anew for
/// every state of the current plan. Knows no widgets.
class Sides final : public QObject {
    Q_OBJECT

public:
    /// Creates the sides for the selection and the drawing of the current plan.
    Sides(Selection &selection, DrawingController &drawings);

    /// Sets the list in which the work appears; null: nowhere.
    void setJobs(JobList *jobs);
    /// Shows a plan, whose graph is given, beside the current one.
    void show(SnapshotPointer before, const QString &name, std::optional<MeasuredLatency> measured);
    void hide();
    bool isShown() const { return m_before != nullptr; }
    /// Sets the graph that is shown of the current plan. While it is a nested one, the sides do not
    /// follow each other.
    void setNow(const SnapshotPointer &now, const std::optional<MeasuredLatency> &measured);
    /// Tells whether work is going on that will change what is shown.
    bool isBusy() const { return m_other.isBusy() || m_matcher.isRunning(); }

    const SnapshotPointer &before() const { return m_before; }
    const SnapshotPointer &now() const { return m_now; }
    const QString &name() const { return m_name; }
    /// Returns how the graphs match, perhaps for an earlier state of the current plan; null until
    /// that is known, and while a nested graph is shown.
    CounterpartsPointer counterparts() const { return m_inside ? nullptr : m_counterparts; }

    Selection &selection(Side side)
    {
        return side == Side::Before ? m_otherSelection : m_selection;
    }
    DrawingController &drawings(Side side) { return side == Side::Before ? m_other : m_drawings; }
    /// Tells whether a selection is being changed because that of the other side has changed.
    bool isFollowing() const { return m_following; }
    /// Returns the side that has nothing for what is selected on the other one.
    std::optional<Side> lacking() const { return m_lacking; }

    /// Selects the next or previous difference on both sides, in the order of both graphs; wraps
    /// around.
    void step(int by);
    bool canStep() const;

    /// Collapses or expands a group of the other plan, and the one of the same name in the current
    /// one.
    void toggleCollapsed(const Item &group);
    /// Expands the collapsed groups around an item of the other plan. Returns false when none was
    /// collapsed.
    bool openAround(const Item &item);
    /// These do for the other plan's drawing what the functions of the same names do for that of
    /// the current one.
    void collapseAll(bool collapsed);
    void showLevels(std::uint32_t levels);

Q_SIGNALS:
    /// Emitted when another plan, or none, is shown beside the current one.
    void shownChanged();
    void counterpartsChanged();
    /// Emitted when the selections have followed each other.
    void matched();
    /// Emitted when step() has selected a difference, which is an item of this side.
    void stepped(graphloom::Side side, const graphloom::Item &item);

private:
    void forget();
    void match();
    void follow(Side from);
    void followOptions();
    std::set<Item> collapsedBefore() const;
    Item groupNow(const Item &group) const;
    std::size_t differenceAt() const;

    Selection &m_selection, m_otherSelection;
    DrawingController &m_drawings, m_other;
    JobList *m_jobs = nullptr;
    SnapshotPointer m_before, m_now; // main graphs
    QString m_name;
    std::optional<MeasuredLatency> m_measuredBefore, m_measuredNow;
    CounterpartsPointer m_counterparts;
    bool m_inside = false;     // a nested graph is shown
    bool m_remeasured = false; // the latency has changed since the last matching
    bool m_outdated = false;   // the running matching is not for what is shown
    bool m_following = false;
    Side m_lead = Side::Now; // side on which something was selected last
    std::optional<Side> m_lacking;
    std::optional<std::size_t> m_step; // difference that step() has selected
    Worker m_matcher;
};

} // namespace graphloom
