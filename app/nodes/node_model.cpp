// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_model.h"

#include "app/common/format.h"

#include <utility>

namespace graphloom {

NodeModel::NodeModel(QObject *parent)
    : TableModel({{tr("#"), true, {}, QStringLiteral("position")},
                  {tr("Operator"), false, {}, QStringLiteral("operator")},
                  {tr("Name"), false, {}, QStringLiteral("name")},
                  {tr("Output"), false, {}, QStringLiteral("output")},
                  {tr("MACs"), true, {}, QStringLiteral("macs"), "macs"},
                  {tr("Mapping"), false, {}, QStringLiteral("mapping"), "mapping-type"},
                  {tr("Block"), true, {}, QStringLiteral("block"), "fusion-block"},
                  {tr("Subgraph"), true, {}, QStringLiteral("subgraph"), "subgraph"},
                  {tr("Value"), true}},
                 parent)
{
}

void NodeModel::setSnapshot(SnapshotPointer snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_matching.clear();
    endResetModel();
}

void NodeModel::setMetric(MetricPointer metric)
{
    if (m_metric == metric)
        return;
    m_metric = std::move(metric);
    if (m_metric)
        setColumn(Metric, {m_metric->name, !m_metric->isCategorical(),
                           QStringLiteral("%1 (%2)").arg(m_metric->name, m_metric->provenance),
                           QStringLiteral("colour:") + m_metric->key});
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Metric), index(rowCount() - 1, Metric));
}

void NodeModel::setMatching(const QString &text, std::vector<bool> matching)
{
    m_matchingText = text;
    m_matching = std::move(matching);
}

void NodeModel::setOwnData(OwnTablePointer own)
{
    m_own = std::move(own);
    m_queryText.clear();
    m_query = {};
    m_matching.clear();
}

std::optional<double> NodeModel::valueAt(int row) const
{
    return m_metric ? m_metric->of(*m_snapshot, itemAt(row)) : std::nullopt;
}

int NodeModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : int(m_snapshot->graph().nodeCount());
}

Item NodeModel::itemAt(int row) const
{
    return Item::of(m_snapshot->graph().order()[std::size_t(row)]);
}

int NodeModel::rowOf(const Item &item) const
{
    const Item node =
        m_snapshot ? m_snapshot->standInOf(item) : Item(); // of a tensor what writes it
    if (node.kind != Item::Kind::Node || !m_snapshot->graph().contains(node.node()))
        return -1;
    return int(m_snapshot->graph().position(node.node()));
}

const NodeFacts &NodeModel::factsAt(int row) const
{
    return m_snapshot->facts->of(itemAt(row).node());
}

Item NodeModel::groupAt(int row, Grouping grouping) const
{
    return m_snapshot->groupOf(itemAt(row).node(), grouping);
}

QString NodeModel::text(int row, int column) const
{
    const NodeFacts &facts = factsAt(row);
    const auto number = [](const Item &group) {
        return group ? QString::number(group.index) : QString();
    };
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
    case Block:
        return number(groupAt(row, Grouping::Blocks));
    case Metric: {
        const auto value = valueAt(row);
        return value ? m_metric->text(*value) : QString();
    }
    default:
        return number(groupAt(row, Grouping::Subgraphs));
    }
}

QVariant NodeModel::value(int row, int column) const
{
    const NodeFacts &facts = factsAt(row);
    const auto number = [](const Item &group) {
        return group ? QVariant(group.index) : QVariant();
    };
    switch (column) {
    case Position:
        return row;
    case Operator:
        return facts.op;
    case Name:
        return facts.name;
    case OutputShape:
        return facts.shape;
    case Macs:
        return valueOf(facts.macs);
    case Mapping:
        return fromUtf8(nameOf(facts.mapping));
    case Block:
        return number(groupAt(row, Grouping::Blocks));
    case Metric: {
        const auto value = valueAt(row);
        if (!value)
            return {};
        return m_metric->isCategorical() ? QVariant(m_metric->text(*value)) : QVariant(*value);
    }
    default:
        return number(groupAt(row, Grouping::Subgraphs));
    }
}

QString NodeModel::provenance(int row) const
{
    return valueAt(row) ? m_metric->provenance : fromUtf8(nameOf(Provenance::Modelled));
}

QString NodeModel::toolTip(int row, int) const
{
    const NodeFacts &facts = factsAt(row);
    QStringList lines{facts.name, facts.opaque,
                      nestedSummary(m_snapshot->facts->nestedIn(itemAt(row).node()))};
    lines.removeAll(QString());
    return lines.join('\n');
}

QVariant NodeModel::data(const QModelIndex &index, int role) const
{
    if (role == ClassRole && checkIndex(index, CheckIndexOption::IndexIsValid))
        return int(factsAt(index.row()).operatorClass);
    if (role == Qt::AccessibleTextRole && checkIndex(index, CheckIndexOption::IndexIsValid)) {
        const auto nested = m_snapshot->facts->nestedIn(itemAt(index.row()).node());
        const QString shown = text(index.row(), index.column());
        return index.column() == Operator && !nested.empty()
                   ? shown + QStringLiteral(", ") + nestedSummary(nested)
                   : shown;
    }
    return TableModel::data(index, role);
}

bool NodeModel::matches(int row, const QString &text) const
{
    if (!m_matching.empty() && text == m_matchingText)
        return m_matching[itemAt(row).index];
    if (std::exchange(m_queryText, text) != text)
        m_query = Query(text, m_own);
    if (m_query.problem() || m_query.isEmpty())
        return true;
    return m_query.matches({m_snapshot->graph(), *m_snapshot->facts, m_snapshot.get()},
                           itemAt(row).node());
}

bool NodeModel::isLess(int row, int other, int column) const
{
    const NodeFacts &a = factsAt(row), &b = factsAt(other);
    switch (column) {
    case Macs:
        return isFewer(a.macs, b.macs);
    case Mapping:
        return a.mapping < b.mapping;
    default:
        return TableModel::isLess(row, other, column);
    }
}

} // namespace graphloom
