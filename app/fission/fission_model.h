// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// The F-Tree of a plan (MAGIS 4.3): every region that can be split, with what it is in now, what
/// speaks for it, and what the plan would cost with it changed. In the order of the plan, regions
/// in others behind them.
class FissionModel final : public TableModel {
    Q_OBJECT

public:
    enum Column {
        Region,
        Parts,
        Most,
        Peak,
        Latency,
        Heat,
        Score,
        Locked,
        Nodes,
        Dimension,
        ColumnCount
    };

    explicit FissionModel(QObject *parent = nullptr);
    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Of the plan's MemoryPlan::fissions. Requires a row that there is.
    int fissionAt(int row) const { return m_order[std::size_t(row)]; }
    const MemoryPlan::Fission &at(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;
    QVariant value(int row, int column) const override;
    QString provenance(int row) const override;
    bool isLess(int row, int other, int column) const override;

protected:
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;

private:
    void addBelow(int parent, int depth);

    SnapshotPointer m_snapshot;
    std::vector<int> m_order, m_depth; // fissions by row, and how deep they are
    std::vector<Item> m_items;         // by fission; none where it is not drawn
};

/// The item of a fission of the plan's tree; none where it overlaps with others, and is not drawn.
Item itemOfFission(const Snapshot &snapshot, int fission);

} // namespace graphloom
