// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fusion/partition_model.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/widgets/edit_bar.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

class QLabel;

namespace graphloom {

class HistogramView;

/// Shows the partition as a table beside its weight histogram, above a line of statistics. The
/// table and the selection follow each other.
class PartitionPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit PartitionPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    void setTheme(const Theme &theme);

    EditBar &edits() { return *m_edits; }
    PartitionModel &model() { return m_model; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    HistogramView &histogram() { return *m_histogram; }
    QString statisticsText() const;

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    void markSelected();
    void selectFirstOf(int bin);

    Selection &m_selection;
    PartitionModel m_model;
    QLabel *m_statistics;
    EditBar *m_edits;
    FilteredTable *m_list;
    HistogramView *m_histogram;
};

} // namespace graphloom
