// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"
#include "app/models/snapshot.h"

#include <QAbstractTableModel>

namespace graphloom {

/// The subgraphs of a plan's partition, also while a graph nested in one of its nodes is shown.
class PartitionModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Index, Nodes, Weight, Macs, Operators, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setSnapshot(SnapshotPointer snapshot);
    /// Of the model's own graph.
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    bool isInside() const { return !m_path.empty(); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// The row of the subgraph that an item is or belongs to, or that holds the nested graph which
    /// is shown; -1 when there is none.
    int rowOf(const Item &item) const;

private:
    QVariant sortValue(const PartitionFacts::Row &row, const QModelIndex &index) const;

    SnapshotPointer m_snapshot; // of the model's own graph
    GraphPath m_path;           // of the graph that is shown
};

} // namespace graphloom
