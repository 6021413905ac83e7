// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/partition_model.h"
#include "app/models/selection.h"
#include "app/views/hinted_panel.h"
#include "app/views/theme.h"

#include <QSortFilterProxyModel>

class QLabel;
class QTableView;

namespace graphloom {

class HistogramView;
class SelectionLink;

/// The partition as a table beside its weight histogram, over a line of statistics; linked both
/// ways to the selection.
class PartitionPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit PartitionPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    void setTheme(const Theme &theme);

    PartitionModel &model() { return m_model; }
    QTableView &table() { return *m_table; }
    HistogramView &histogram() { return *m_histogram; }
    QString statisticsText() const;

Q_SIGNALS:
    void activated(const graphloom::Item &item);

private:
    void markSelected();
    void selectFirstOf(int bin);

    Selection &m_selection;
    PartitionModel m_model;
    QSortFilterProxyModel m_sorted;
    QLabel *m_statistics;
    QTableView *m_table;
    SelectionLink *m_link;
    HistogramView *m_histogram;
};

} // namespace graphloom
