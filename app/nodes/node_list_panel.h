// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/worker.h"
#include "app/nodes/node_model.h"
#include "app/query/query_edit.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

#include <memory>

namespace graphloom {

class ChipDelegate;

/// All nodes in a table that can be filtered and sorted: the accessible twin of the canvas.
class NodeListPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit NodeListPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Columns of the user's own that can be asked for; null: none.
    void setOwnData(const OwnTablePointer &own);
    /// Where filtering that takes a while is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// The list is of what was typed before: the rest goes on in the background.
    bool isFiltering() const { return m_finder.isRunning(); }
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
    void find(const QString &text, const std::function<void()> &filter);

    NodeModel m_model;
    QueryEdit *m_edit;
    FilteredTable *m_list;
    ChipDelegate *m_chips;
    std::function<void()> m_filter; // what waits for the finder
    JobList *m_jobs = nullptr;
    Worker m_finder; // last: its thread ends first
};

} // namespace graphloom
