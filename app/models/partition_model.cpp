// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/partition_model.h"

#include "app/models/format.h"
#include "app/models/nested_snapshot.h"

namespace graphloom {

void PartitionModel::setSnapshot(SnapshotPointer snapshot)
{
    m_path = snapshot ? snapshot->path : GraphPath();
    snapshot = ownGraph(std::move(snapshot));
    if (snapshot == m_snapshot)
        return; // another of its graphs is shown
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

int PartitionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_snapshot || !m_snapshot->partition
               ? 0
               : int(m_snapshot->partition->rows.size());
}

int PartitionModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

int PartitionModel::rowOf(const Item &item) const
{
    if (!m_snapshot || !m_snapshot->partition)
        return -1;
    std::uint32_t subgraph = Partition::none;
    if (item.kind == Item::Kind::Subgraph)
        subgraph = item.index;
    else if (isInside())
        subgraph = m_snapshot->subgraphOf(m_path.front().node);
    else if (item.kind == Item::Kind::Node && m_snapshot->graph().contains(item.node()))
        subgraph = m_snapshot->subgraphOf(item.node());
    return subgraph < m_snapshot->partition->rows.size() ? int(subgraph) : -1;
}

QVariant PartitionModel::sortValue(const PartitionFacts::Row &row, const QModelIndex &index) const
{
    switch (index.column()) {
    case Nodes:
        return qulonglong(row.nodes);
    case Weight:
        return row.weight;
    case Macs:
        return qlonglong(row.macs.constant().value_or(INT64_MAX));
    case Operators:
        return row.operators;
    default:
        return index.row();
    }
}

QVariant PartitionModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const PartitionFacts::Row &row = m_snapshot->partition->rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Index:
            return index.row();
        case Nodes:
            return int(row.nodes);
        case Weight:
            return formatReal(row.weight);
        case Macs:
            return row.macs == Dim(0) ? QString() : formatDim(row.macs);
        default:
            return row.operators;
        }
    case Qt::ToolTipRole: // what a narrow column cuts off
        return index.column() == Macs ? formatDim(row.macs) : row.operators;
    case Qt::TextAlignmentRole:
        return int((index.column() == Operators ? Qt::AlignLeft : Qt::AlignRight) |
                   Qt::AlignVCenter);
    case SortRole:
        return sortValue(row, index);
    default:
        return {};
    }
}

QVariant PartitionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Operators ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Weight)
        return tr("AGO's estimate of tuning effort, eq. (1): slope × product of log2 of the loop "
                  "extents + bias, summed over the nodes");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Index:
        return tr("Subgraph");
    case Nodes:
        return tr("Nodes");
    case Weight:
        return tr("Weight");
    case Macs:
        return tr("MACs");
    default:
        return tr("Operators");
    }
}

} // namespace graphloom
