// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/snapshot/snapshot.h"

namespace graphloom {

/// A table of the subgraphs of a plan's partition, or of its fusion blocks. It keeps showing them
/// while a graph nested in one of their nodes is shown.
class GroupModel : public RowsModel<GroupFacts> {
    Q_OBJECT

public:
    void setSnapshot(SnapshotPointer snapshot);
    /// Returns the snapshot of the model's own graph.
    const SnapshotPointer &snapshot() const { return m_snapshot; }
    bool isInside() const { return !m_path.empty(); }

    int rowCount(const QModelIndex &parent = {}) const final;
    Item itemAt(int row) const final;
    /// Returns the row of the group that an item is or belongs to. While a nested graph is shown,
    /// returns the row of the group that holds it.
    int rowOf(const Item &item) const final;
    const GroupFacts &at(int row) const final { return m_snapshot->factsOf(itemAt(row)); }

protected:
    GroupModel(Grouping grouping, QObject *parent)
        : RowsModel(parent, Provenance::Modelled), m_grouping(grouping)
    {
    }

private:
    const Grouping m_grouping;
    SnapshotPointer m_snapshot; // snapshot of the model's own graph
    GraphPath m_path;           // path of the graph that is shown
};

} // namespace graphloom
