// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// Lists the F-Tree of a plan (MAGIS 4.3), one row for each region that can be split: its present
/// number of parts, the reasons to split it, and the costs of the plan if it were changed. Rows are
/// in the order of the plan; nested regions follow the region that contains them.
class FissionModel final : public RowsModel<MemoryPlan::Fission> {
    Q_OBJECT

public:
    explicit FissionModel(QObject *parent = nullptr);
    void setSnapshot(SnapshotPointer snapshot);
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    /// Returns the index of the row's fission in MemoryPlan::fissions. `row` must exist.
    int fissionAt(int row) const { return m_order[std::size_t(row)]; }
    const MemoryPlan::Fission &at(int row) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    Item itemAt(int row) const override;
    int rowOf(const Item &item) const override;

private:
    /// Returns the plan if only the row's fission were toggled, or null if that is not possible or
    /// not known.
    const MemoryPoint *changedAt(int row) const;
    /// Returns the cells of a cost of that plan, shown relative to the current plan.
    template <class Cost, class Show> Cells changes(Cost cost, Show show) const;
    void addBelow(int parent, int depth);

    SnapshotPointer m_snapshot;
    std::vector<int> m_order, m_depth; // fissions by row, and their depth in the tree
    std::vector<Item> m_items;         // by fission; no item if the region is not drawn
};

/// Returns the item of a fission of the plan's F-Tree, or no item if the region overlaps with
/// others and is not drawn.
Item itemOfFission(const Snapshot &snapshot, int fission);

} // namespace graphloom
