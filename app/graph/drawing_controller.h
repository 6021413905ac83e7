// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing.h"
#include "engine/base/result.h"

#include <QObject>

namespace graphloom {

/// Tells which layout places the nodes.
enum class LayoutMethod { Layered, Graphviz };

/// Keeps the drawing up to date with the plan and the view options of the user. The layout runs on
/// a worker.
class DrawingController final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Sets the list in which the work appears; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Sets the snapshot to draw. Another model starts with the options that suit its size. A
    /// layout that runs for an earlier snapshot of the same graph is finished and shown first,
    /// since a pass publishes faster than large graphs can be laid out.
    void setSnapshot(const SnapshotPointer &snapshot);
    /// Announces a snapshot of a plan edited by hand. When it arrives, collapsed groups stay
    /// collapsed.
    void expectEdit(const SnapshotPointer &own) { m_edited = own; }
    const ViewOptions &options() const { return m_options; }
    LayoutMethod method() const { return m_method; }
    bool isBusy() const { return m_worker.isRunning() || m_outdated; }

    /// Sets all options at once, such as those of another controller, without optionsChanged().
    void setOptions(ViewOptions options, LayoutMethod method);
    /// Sets the aspect of the canvas, which applies from the next drawing on.
    void setAspect(double aspect) { m_options.aspect = aspect; }
    /// Breaks the columns anew if the canvas has another shape than when they were broken.
    void reflow(double aspect);
    void setGrouping(Grouping grouping);
    void setColumns(bool columns);
    void setMethod(LayoutMethod method);
    void toggleCollapsed(const Item &group);
    void setCollapsed(const Item &group, bool collapsed);
    void collapseAll(bool collapsed);
    /// Expands this number of levels of nested groups, and collapses all below.
    void showLevels(std::uint32_t levels);
    /// Expands the groups around an item, so that it is visible, and collapses all others.
    void showOnlyWayTo(const Item &item);
    /// Expands the collapsed groups around an item. Returns false when none was collapsed.
    bool openAround(const Item &item);
    /// Sets the focus and leaves out all other nodes. A focus without items shows all nodes again.
    void setFocus(Focus focus);

Q_SIGNALS:
    /// Emitted when options() have changed, such as the collapsed groups, but not for another
    /// snapshot.
    void optionsChanged();
    void started();
    /// Emitted when a drawing is ready; null without a snapshot. `fresh` tells whether it is of
    /// another graph than the drawing before.
    void ready(const graphloom::DrawingPointer &drawing, bool fresh);
    /// Emitted when the user stopped the layout. The previous drawing stays.
    void cancelled();
    /// Emitted when Graphviz has failed. The layered layout is used instead.
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
    bool m_outdated = false; // the running layout is not for m_snapshot
    JobList *m_jobs = nullptr;
    Worker m_worker;
};

} // namespace graphloom
