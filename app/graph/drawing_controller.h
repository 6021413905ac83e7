// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing.h"
#include "engine/base/result.h"

#include <QObject>

namespace graphloom {

/// Which layout places the nodes.
enum class LayoutMethod { Layered, Graphviz };

/// Keeps the drawing up to date with the plan and with what the user wants to see of it; the
/// layout runs on a worker.
class DrawingController final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Where the work is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Another model is shown with the options that suit its size. A layout that runs for an
    /// earlier snapshot of the same graph is finished and shown: a pass publishes faster than large
    /// graphs can be laid out.
    void setSnapshot(const SnapshotPointer &snapshot);
    /// This snapshot, when it comes, is of a plan edited by hand: what is collapsed stays so.
    void expectEdit(const SnapshotPointer &own) { m_edited = own; }
    const ViewOptions &options() const { return m_options; }
    LayoutMethod method() const { return m_method; }
    bool isBusy() const { return m_worker.isRunning() || m_outdated; }

    /// Of the canvas; from the next drawing on.
    void setAspect(double aspect) { m_options.aspect = aspect; }
    void setGrouping(Grouping grouping);
    void setColumns(bool columns);
    void setMethod(LayoutMethod method);
    void toggleCollapsed(const Item &group);
    void setCollapsed(const Item &group, bool collapsed);
    void collapseAll(bool collapsed);
    /// Opens so many levels of nested groups, and closes all below.
    void showLevels(std::uint32_t levels);
    /// Opens the groups around an item, so that it is seen, and closes all others.
    void showOnlyWayTo(const Item &item);
    /// Opens the groups around an item, as far as they are closed. False when all are open.
    bool openAround(const Item &item);
    /// Leaves out what is not looked at; without items all is shown again.
    void setFocus(Focus focus);

Q_SIGNALS:
    /// Something of options(), such as what is collapsed; not the snapshot.
    void optionsChanged();
    void started();
    /// `fresh`: of another graph than the drawing before.
    void ready(const graphloom::DrawingPointer &drawing, bool fresh);
    /// Somebody stopped the layout: the drawing from before stays.
    void cancelled();
    /// Graphviz could not do it; the layered layout is taken instead.
    void failed(const QString &reason);

private:
    void redraw();
    void change();
    Grouping drawn() const;
    std::set<Item> ofOtherGroupings() const;

    SnapshotPointer m_snapshot, m_edited;
    ViewOptions m_options;
    LayoutMethod m_method = LayoutMethod::Layered;
    bool m_fresh = false;
    bool m_outdated = false; // what is being drawn is not m_snapshot
    JobList *m_jobs = nullptr;
    Worker m_worker;
};

} // namespace graphloom
