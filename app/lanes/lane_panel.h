// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/table_content.h"
#include "app/lanes/lane_step_model.h"
#include "app/lanes/lane_view.h"
#include "app/snapshot/selection.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QAbstractButton;
class QAction;
class QLabel;
class QTableView;

namespace graphloom {

/// Shows what threads did in one run of a plan, and of the plan that it was compared with: lanes on
/// one scale of time, and a table of the plan's steps, both tied to the selection.
class LanePanel final : public HintedPanel {
    Q_OBJECT

public:
    /// Creates the panel with the action that measures the plan beside the original.
    LanePanel(Selection &selection, QAction *runBeside, QWidget *parent = nullptr);

    /// Shows lanes; null: none. `linked` is the snapshot that is shown if it is of the plan that
    /// was run, so that slices stand for its items, or null. `stale` tells that another plan is
    /// shown.
    void setLanes(LanesPointer lanes, SnapshotPointer linked, bool stale);
    void setTheme(const Theme &theme);
    LaneColours colours() const { return m_view->scene().colours; }
    void setColours(LaneColours colours);

    /// Returns the line above the lanes, as rich text.
    QString summary() const;
    /// Returns the picture of what is visible, or nothing when there are no lanes.
    std::optional<ViewPicture> picture() const;
    LaneView &view() { return *m_view; }
    FilteredTable &list() { return *m_list; }
    QTableView &table() { return m_list->table(); }
    /// Returns the button with a name: "laneClasses", "laneMappings", "laneBefore", "fitLanes".
    QAbstractButton *button(const QString &name) const;

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    QWidget *makeBar(QAction *runBeside);
    /// Returns the items that a slice stands for; none if the graph that is shown is another one.
    std::vector<Item> itemsAt(std::uint32_t slice) const;
    void choose(std::uint32_t slice);
    void showSelection();

    Selection &m_selection;
    LanesPointer m_lanes;
    SnapshotPointer m_linked;
    bool m_stale = false;
    LaneStepModel m_model;
    QLabel *m_line;
    LaneView *m_view;
    FilteredTable *m_list;
};

} // namespace graphloom
