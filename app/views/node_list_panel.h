// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/node_model.h"
#include "app/models/selection.h"
#include "app/views/filtered_table.h"
#include "app/views/hinted_panel.h"
#include "app/views/query_edit.h"
#include "app/views/theme.h"

#include <memory>

namespace graphloom {

class ChipDelegate;

/// All nodes in a table that can be filtered and sorted: the accessible twin of the canvas.
class NodeListPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit NodeListPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Shows a column with what nodes are coloured by; null: none.
    void setMetric(const MetricPointer &metric);
    void setTheme(std::shared_ptr<const Theme> theme);

    NodeModel &model() { return m_model; }
    TableFilter &filter() { return m_list->filter(); }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QueryEdit &filterEdit() { return *m_edit; }

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    NodeModel m_model;
    QueryEdit *m_edit;
    FilteredTable *m_list;
    ChipDelegate *m_chips;
};

} // namespace graphloom
