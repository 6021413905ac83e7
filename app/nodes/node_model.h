// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/metrics/node_metric.h"
#include "app/query/query.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// The nodes of a plan's graph, in its order: what the canvas shows, for eyes and ears that
/// prefer a list.
class NodeModel final : public TableModel {
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
        Metric, // what nodes are coloured by
        ColumnCount
    };
    enum Role { ClassRole = Qt::UserRole }; // OperatorClass as int

    explicit NodeModel(QObject *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Which nodes of the snapshot the query of a text asks for, by id: found beforehand, since
    /// rows are asked on the thread of the window. With another text or snapshot each row is looked
    /// at.
    void setMatching(const QString &text, std::vector<bool> matching);
    /// Columns of the user's own that queries can ask for; null: none.
    void setOwnData(OwnTablePointer own);
    /// Null for none.
    void setMetric(MetricPointer metric);
    const MetricPointer &metric() const { return m_metric; }

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;
    bool isLess(int row, int other, int column) const override;
    /// By a query (Query); one with a problem filters nothing.
    bool matches(int row, const QString &text) const override;
    const NodeFacts &factsAt(int row) const;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    Item groupAt(int row, Grouping grouping) const;

    std::optional<double> valueAt(int row) const;

    SnapshotPointer m_snapshot;
    MetricPointer m_metric;
    mutable QString m_queryText; // of m_query: rows are asked one by one
    mutable Query m_query;
    OwnTablePointer m_own;
    QString m_matchingText; // of m_matching
    std::vector<bool> m_matching;
};

} // namespace graphloom
