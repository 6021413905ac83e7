// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/node_model.h"

#include "app/models/format.h"

namespace graphloom {

void NodeModel::setSnapshot(SnapshotPointer snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

int NodeModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : int(m_snapshot->graph().nodeCount());
}

int NodeModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

Item NodeModel::itemAt(int row) const
{
    return Item::of(m_snapshot->graph().order()[std::size_t(row)]);
}

int NodeModel::rowOf(const Item &item) const
{
    if (!m_snapshot || item.kind != Item::Kind::Node || !m_snapshot->graph().contains(item.node()))
        return -1;
    return int(m_snapshot->graph().position(item.node()));
}

const NodeFacts &NodeModel::factsAt(int row) const
{
    return m_snapshot->facts->of(itemAt(row).node());
}

QString NodeModel::text(int row, int column) const
{
    const NodeFacts &facts = factsAt(row);
    switch (column) {
    case Position:
        return QString::number(row);
    case Operator:
        return facts.op;
    case Name:
        return facts.name;
    case OutputShape:
        return facts.shape;
    case Macs:
        return facts.macs == Dim(0) ? QString() : formatDim(facts.macs);
    case Mapping:
        return fromUtf8(nameOf(facts.mapping));
    case Subgraph: {
        const std::uint32_t subgraph = m_snapshot->subgraphOf(itemAt(row).node());
        return subgraph == Partition::none ? QString() : QString::number(subgraph);
    }
    }
    return {};
}

QVariant NodeModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::ToolTipRole: {
        const NodeFacts &facts = factsAt(index.row());
        const auto nested = m_snapshot->facts->nestedIn(itemAt(index.row()).node());
        QStringList lines{facts.name, facts.opaque, nestedSummary(nested)};
        lines.removeAll(QString());
        return lines.join('\n');
    }
    case Qt::TextAlignmentRole: {
        const bool number =
            index.column() == Position || index.column() == Macs || index.column() == Subgraph;
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case Qt::AccessibleTextRole: {
        const auto nested = m_snapshot->facts->nestedIn(itemAt(index.row()).node());
        const QString shown = text(index.row(), index.column());
        return index.column() == Operator && !nested.empty()
                   ? shown + QStringLiteral(", ") + nestedSummary(nested)
                   : shown;
    }
    case ClassRole:
        return int(factsAt(index.row()).operatorClass);
    default:
        return {};
    }
}

QVariant NodeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Position || section == Macs || section == Subgraph ? Qt::AlignRight
                                                                                  : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Position:
        return tr("#");
    case Operator:
        return tr("Operator");
    case Name:
        return tr("Name");
    case OutputShape:
        return tr("Output");
    case Macs:
        return tr("MACs");
    case Mapping:
        return tr("Mapping");
    default:
        return tr("Subgraph");
    }
}

NodeFilter::NodeFilter(NodeModel &model, QObject *parent)
    : QSortFilterProxyModel(parent), m_model(model)
{
    setSourceModel(&model);
}

void NodeFilter::setText(const QString &text)
{
    const QString lower = text.trimmed().toLower();
    if (lower == m_text)
        return;
    m_text = lower;
    invalidateFilter();
}

bool NodeFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    return m_text.isEmpty() || m_model.factsAt(row).searchText.contains(m_text);
}

bool NodeFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const NodeFacts &a = m_model.factsAt(left.row()), &b = m_model.factsAt(right.row());
    switch (left.column()) {
    case NodeModel::Operator:
        return a.op < b.op;
    case NodeModel::Name:
        return a.name < b.name;
    case NodeModel::OutputShape:
        return a.shape < b.shape;
    case NodeModel::Macs:
        // What depends on symbols comes after all numbers.
        return a.macs.constant().value_or(INT64_MAX) < b.macs.constant().value_or(INT64_MAX);
    case NodeModel::Mapping:
        return a.mapping < b.mapping;
    case NodeModel::Subgraph: {
        const Snapshot &snapshot = *m_model.snapshot();
        return snapshot.subgraphOf(m_model.itemAt(left.row()).node()) <
               snapshot.subgraphOf(m_model.itemAt(right.row()).node());
    }
    default:
        return left.row() < right.row();
    }
}

} // namespace graphloom
