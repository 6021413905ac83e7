// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// Lists the F-Tree of a plan (MAGIS 4.3), one row for each region that can be split: its present
/// number of parts, the reasons to split it, and the costs of the plan if it were changed. Rows are
/// in the order of the plan; nested regions follow the region that contains them.
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
    /// Returns the index of the row's fission in MemoryPlan::fissions. `row` must exist.
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
    std::vector<int> m_order, m_depth; // fissions by row, and their depth in the tree
    std::vector<Item> m_items;         // by fission; no item if the region is not drawn
};

/// Returns the item of a fission of the plan's F-Tree, or no item if the region overlaps with
/// others and is not drawn.
Item itemOfFission(const Snapshot &snapshot, int fission);

} // namespace graphloom
