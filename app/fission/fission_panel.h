// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fission/fission_model.h"
#include "app/snapshot/selection.h"
#include "app/widgets/edit_bar.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

namespace graphloom {

/// Shows the F-Tree as a table below a line with the costs of the plan. The table and the selection
/// follow each other.
class FissionPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit FissionPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Returns the fission of the current row, as an index into the plan's F-Tree, or -1 if there
    /// is none.
    int fission() const;
    /// Makes the row of a fission current.
    void choose(int fission);

    EditBar &edits() { return *m_edits; }
    FissionModel &model() { return m_model; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QString statisticsText() const;

Q_SIGNALS:
    void fissionChanged();
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    FissionModel m_model;
    QLabel *m_statistics;
    FilteredTable *m_list;
    EditBar *m_edits;
};

} // namespace graphloom
