// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/table_content.h"
#include "app/memory/memory_tensor_model.h"
#include "app/memory/memory_view.h"
#include "app/snapshot/selection.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QAbstractButton;
class QLabel;
class QTabWidget;

namespace graphloom {

/// Shows what is in memory while the graph runs: the timeline, and tables of its tensors and its
/// steps, all tied to the selection.
class MemoryPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit MemoryPanel(Selection &selection, QWidget *parent = nullptr);

    /// Sets the timeline of a snapshot's graph and that of the graph before a pass, if there is
    /// one. All null: shows nothing.
    void setTimelines(SnapshotPointer snapshot, TimelinePointer timeline, TimelinePointer before);
    /// Sets the timeline that is drawn over it in place of the graph before the pass; null: the
    /// latter again.
    void setCompared(TimelinePointer timeline, const QString &name);
    /// Sets the allowed bytes, which are drawn as a line. Nothing: no line.
    void setLimit(std::optional<std::int64_t> bytes) { m_view->setLimit(bytes); }
    void setTheme(const Theme &theme);

    enum class Tab { Chart, Tensors, Steps };
    void showTab(Tab tab);

    QString summary() const;
    /// These return the content for export, whatever tab is in front. picture() returns nothing
    /// when there are no steps.
    std::optional<ViewPicture> picture() const;
    TableSource tensorSource() const;
    TableSource stepSource() const;
    MemoryView &view() { return *m_view; }
    QTableView &tensors() { return m_tensors->table(); }
    QTableView &steps() { return m_steps->table(); }
    FilteredTable &tensorTable() { return *m_tensors; }
    FilteredTable &stepTable() { return *m_steps; }
    /// Returns the button with a name: "stacked", "arena", "steps", "time", "weights", "before".
    QAbstractButton *button(const QString &name) const;

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    QWidget *makeBar();
    void showCompared();
    /// Fills only the table that is visible, since sorting very many tensors takes time.
    void fillTable();
    void showSelection();
    void choose(int tensor);

    Selection &m_selection;
    SnapshotPointer m_snapshot;
    TimelinePointer m_timeline, m_before, m_other;
    QString m_otherName;
    std::optional<std::uint32_t> m_chosen; // the lifetime that was clicked
    MemoryTensorModel m_tensorModel;
    MemoryStepModel m_stepModel;
    QLabel *m_line;
    MemoryView *m_view;
    FilteredTable *m_tensors, *m_steps;
    QTabWidget *m_tabs;
};

} // namespace graphloom
