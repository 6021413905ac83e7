// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_model.h"

#include <utility>

namespace graphloom {

NodeModel::NodeModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    setColumns(
        {{tr("#"), QStringLiteral("position"), of([](int row) { return row; })},
         {tr("Operator"), QStringLiteral("operator"), of(&NodeFacts::op)},
         {tr("Name"), QStringLiteral("name"), of(&NodeFacts::name)},
         {tr("Output"), QStringLiteral("output"), of(&NodeFacts::shape)},
         {tr("MACs"), QStringLiteral("macs"), of(&NodeFacts::macs), {}, "macs"},
         {tr("Mapping"), QStringLiteral("mapping"), of(&NodeFacts::mapping), {}, "mapping-type"},
         {tr("Block"), QStringLiteral("block"), groups(Grouping::Blocks), {}, "fusion-block"},
         {tr("Subgraph"), QStringLiteral("subgraph"), groups(Grouping::Subgraphs), {}, "subgraph"},
         {tr("Value"), {}, makeCells([](int) { return std::optional<double>(); })}});
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
    const auto value = [this](int row) { return valueAt(row); };
    const auto shown = [this](int row) {
        const auto known = valueAt(row);
        return known ? m_metric->text(*known) : QString();
    };
    if (m_metric)
        setColumn(Metric, {m_metric->name, QStringLiteral("colour:") + m_metric->key,
                           m_metric->isCategorical() ? of(shown) : of(value).shownAs(shown),
                           QStringLiteral("%1 (%2)").arg(m_metric->name, m_metric->provenance)});
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
    const Item node = m_snapshot ? m_snapshot->standInOf(item) : Item(); // the producer of a tensor
    if (node.kind != Item::Kind::Node || !m_snapshot->graph().contains(node.node()))
        return -1;
    return int(m_snapshot->graph().position(node.node()));
}

const NodeFacts &NodeModel::at(int row) const
{
    return m_snapshot->facts->of(itemAt(row).node());
}

Cells NodeModel::groups(Grouping grouping) const
{
    return of([this, grouping](int row) {
        const Item group = m_snapshot->groupOf(itemAt(row).node(), grouping);
        return group ? std::optional(group.index) : std::nullopt;
    });
}

QString NodeModel::provenance(int row) const
{
    return valueAt(row) ? m_metric->provenance : RowsModel::provenance(row);
}

QString NodeModel::toolTip(int row, int) const
{
    const NodeFacts &facts = at(row);
    QStringList lines{facts.name, facts.opaque,
                      nestedSummary(m_snapshot->facts->nestedIn(itemAt(row).node()))};
    lines.removeAll(QString());
    return lines.join('\n');
}

QVariant NodeModel::data(const QModelIndex &index, int role) const
{
    if (role == ClassRole && checkIndex(index, CheckIndexOption::IndexIsValid))
        return int(at(index.row()).operatorClass);
    if (role == Qt::AccessibleTextRole && checkIndex(index, CheckIndexOption::IndexIsValid)) {
        const auto nested = m_snapshot->facts->nestedIn(itemAt(index.row()).node());
        const QString shown = text(index.row(), index.column());
        return index.column() == Operator && !nested.empty()
                   ? shown + QStringLiteral(", ") + nestedSummary(nested)
                   : shown;
    }
    return RowsModel::data(index, role);
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

} // namespace graphloom
