// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/metrics/node_metric.h"
#include "app/query/query.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// A table of the nodes of a plan's graph in topological order: the content of the canvas as an
/// accessible list.
class NodeModel final : public RowsModel<NodeFacts> {
    Q_OBJECT

public:
    enum Column {
        Position,
        Operator,
        Name,
        OutputShape,
        Macs,
        Mapping,
        Block,
        Subgraph,
        Metric, // the metric that nodes are coloured by
        ColumnCount
    };
    enum Role { ClassRole = Qt::UserRole }; // OperatorClass as int

    explicit NodeModel(QObject *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Sets which nodes of the snapshot match the query of a text, by node id. It is found
    /// beforehand because rows are filtered on the GUI thread. With another text or snapshot, each
    /// row is tested on its own.
    void setMatching(const QString &text, std::vector<bool> matching);
    /// Sets the user data whose columns queries can ask for; null: none.
    void setOwnData(OwnTablePointer own);
    /// Sets the metric that nodes are coloured by; null: none.
    void setMetric(MetricPointer metric);
    const MetricPointer &metric() const { return m_metric; }

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QString provenance(int row) const override;
    /// Tells whether a row matches a query (Query). A query with a problem matches all rows.
    bool matches(int row, const QString &text) const override;
    const NodeFacts &at(int row) const override;

protected:
    QString toolTip(int row, int column) const override;

private:
    /// Returns the cells of the number of the group that a node is in.
    Cells groups(Grouping grouping) const;
    std::optional<double> valueAt(int row) const;

    SnapshotPointer m_snapshot;
    MetricPointer m_metric;
    mutable QString m_queryText; // text of m_query, kept since rows are tested one by one
    mutable Query m_query;
    OwnTablePointer m_own;
    QString m_matchingText; // text that m_matching is for
    std::vector<bool> m_matching;
};

} // namespace graphloom
