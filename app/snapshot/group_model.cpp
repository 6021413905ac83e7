// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/group_model.h"

#include "app/snapshot/nested_snapshot.h"

namespace graphloom {

void GroupModel::setSnapshot(SnapshotPointer snapshot)
{
    m_path = snapshot ? snapshot->path : GraphPath();
    snapshot = ownGraph(std::move(snapshot));
    if (snapshot != m_snapshot) // else another graph of the model is shown
        replace(m_snapshot, std::move(snapshot));
}

int GroupModel::rowCount(const QModelIndex &parent) const
{
    const Partition *groups = m_snapshot ? m_snapshot->groups(m_grouping) : nullptr;
    return parent.isValid() || !groups ? 0 : int(groups->subgraphs.size());
}

Item GroupModel::itemAt(int row) const
{
    const auto index = std::uint32_t(row);
    return m_grouping == Grouping::Blocks ? Item::block(index) : Item::subgraph(index);
}

int GroupModel::rowOf(const Item &item) const
{
    if (rowCount() == 0)
        return -1;
    Item group;
    if (groupingOf(item) == m_grouping)
        group = item;
    else if (isInside())
        group = m_snapshot->groupOf(m_path.front().node, m_grouping);
    else if (item.kind == Item::Kind::Node && m_snapshot->graph().contains(item.node()))
        group = m_snapshot->groupOf(item.node(), m_grouping);
    return group && int(group.index) < rowCount() ? int(group.index) : -1;
}

} // namespace graphloom
