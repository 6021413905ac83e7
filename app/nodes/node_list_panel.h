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

/// Lists all nodes in a table that can be filtered and sorted: the accessible counterpart of the
/// canvas.
class NodeListPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit NodeListPanel(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Sets the user data whose columns queries can ask for; null: none.
    void setOwnData(const OwnTablePointer &own);
    /// Sets the list in which long filtering appears; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Tells whether filtering continues in the background. Until it ends, the list for the
    /// previous text is shown.
    bool isFiltering() const { return m_finder.isRunning(); }
    /// Shows a column for the metric that nodes are coloured by; null: none.
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
    std::function<void()> m_filter; // called when m_finder is done
    JobList *m_jobs = nullptr;
    Worker m_finder; // declared last, so that its thread ends first
};

} // namespace graphloom
