// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"
#include "app/models/snapshot.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace graphloom {

/// The nodes of a plan's graph, in its order: what the canvas shows, for eyes and ears that
/// prefer a list.
class NodeModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Position, Operator, Name, OutputShape, Macs, Mapping, Subgraph, ColumnCount };
    enum Role { ClassRole = Qt::UserRole }; // OperatorClass as int

    using QAbstractTableModel::QAbstractTableModel;

    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    Item itemAt(int row) const;
    /// The row of a node; -1 for other items.
    int rowOf(const Item &item) const;
    const NodeFacts &factsAt(int row) const;

private:
    QString text(int row, int column) const;

    SnapshotPointer m_snapshot;
};

/// Nodes whose name, operator or tensors contain a text; sorts by values, not by texts.
class NodeFilter final : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit NodeFilter(NodeModel &model, QObject *parent = nullptr);
    void setText(const QString &text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    NodeModel &m_model;
    QString m_text; // lower case
};

} // namespace graphloom
