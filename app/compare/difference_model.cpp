// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/difference_model.h"

#include "app/common/format.h"
#include "engine/plan/node_names.h"

#include <cmath>

namespace graphloom {

namespace {

QString joinedChanges(const std::vector<std::string> &texts)
{
    QStringList list;
    for (const std::string &text : texts)
        list << fromUtf8(text);
    return list.join(QStringLiteral("; "));
}

QString metricAmount(double value, const std::string &unit)
{
    const QString number = unit == "bytes"   ? formatBytes(value)
                           : unit == "ms"    ? formatReal(value) + QStringLiteral(" ms")
                           : value < 1000000 ? QString::number(value, 'f', 0)
                                             : formatCount(value);
    return number;
}

QString sideText(const std::optional<PlanMetric::Side> &side)
{
    if (!side)
        return QStringLiteral("\u2013");
    QString text = metricAmount(side->figure.value, side->figure.unit) + QStringLiteral(" (") +
                   fromUtf8(nameOf(side->figure.provenance));
    if (!side->basis.empty())
        text += QStringLiteral(", ") + fromUtf8(side->basis);
    return text + ')';
}

} // namespace

DifferenceModel::DifferenceModel(QObject *parent)
    : TableModel({{tr("#"), true, tr("In the order of both graphs"), QStringLiteral("number")},
                  {tr("Difference"), false,
                   tr("+ only in the current plan, \u2212 only in the other plan, ~ different in "
                      "the two plans"),
                   QStringLiteral("difference")},
                  {tr("Operator"), false, {}, QStringLiteral("operator")},
                  {tr("Name"), false, {}, QStringLiteral("name")},
                  {tr("What differs"), false, {}, QStringLiteral("changes")}},
                 parent)
{
}

void DifferenceModel::setDifference(PlanDifferencePointer difference)
{
    beginResetModel();
    m_difference = std::move(difference);
    m_rows.clear();
    m_places.clear();
    if (m_difference) {
        const GraphComparison &graphs = m_difference->graphs();
        for (const NodeDifference &node : graphs.nodes) {
            if (node.kind == Difference::Same && !node.renamed)
                continue;
            const bool now = node.now.valid();
            const Graph &graph = now ? graphs.now : graphs.before;
            const NodeId id = now ? node.now : node.before;
            Row row{node.kind,
                    node.kind == Difference::Same,
                    m_difference->itemOf(node),
                    fromUtf8(graph.node(id).qualifiedOp()),
                    fromUtf8(nodeName(graph, id)),
                    joinedChanges(node.changes)};
            QString more = fromUtf8(relationOf(graphs, node));
            if (node.renamed && now && node.before.valid())
                more = tr("was named %1").arg(fromUtf8(nodeName(graphs.before, node.before)));
            if (!more.isEmpty())
                row.what += (row.what.isEmpty() ? QString() : QStringLiteral("; ")) + more;
            m_places.emplace(row.item, int(m_rows.size()));
            m_rows.push_back(std::move(row));
        }
        addTensors();
    }
    endResetModel();
}

void DifferenceModel::addTensors()
{
    const GraphComparison &graphs = m_difference->graphs();
    for (const TensorDifference &tensor : graphs.tensors) {
        const Tensor &shown = tensor.now.valid() ? graphs.now.tensor(tensor.now)
                                                 : graphs.before.tensor(tensor.before);
        m_rows.push_back({tensor.kind, false,
                          tensor.now.valid() && tensor.role == TensorDifference::Role::Input
                              ? Item::input(tensor.now)
                          : tensor.now.valid() && tensor.role == TensorDifference::Role::Output
                              ? Item::output(tensor.now)
                              : Item(),
                          fromUtf8(nameOf(tensor.role)), fromUtf8(shown.name),
                          joinedChanges(tensor.changes)});
        if (m_rows.back().item)
            m_places.emplace(m_rows.back().item, int(m_rows.size()) - 1);
    }
}

int DifferenceModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

Item DifferenceModel::itemAt(int row) const
{
    return m_rows[std::size_t(row)].item;
}

int DifferenceModel::rowOf(const Item &item) const
{
    const auto found = m_places.find(item);
    return found == m_places.end() ? -1 : found->second;
}

QString DifferenceModel::text(int row, int column) const
{
    const Row &shown = m_rows[std::size_t(row)];
    switch (column) {
    case Number:
        return QString::number(row + 1);
    case Kind:
        return shown.renamed ? tr("renamed")
                             : fromUtf8(signOf(shown.kind)) + ' ' + fromUtf8(nameOf(shown.kind));
    case Operator:
        return shown.op;
    case Node:
        return shown.name;
    default:
        return shown.what;
    }
}

QVariant DifferenceModel::value(int row, int column) const
{
    return column == Number ? QVariant(row + 1) : TableModel::value(row, column);
}

MetricModel::MetricModel(QObject *parent)
    : TableModel(
          {{tr("Figure"), false, {}, QStringLiteral("figure")},
           {tr("Other plan"), true, tr("Value of the other plan, and how it was obtained"),
            QStringLiteral("before")},
           {tr("Current plan"), true, tr("Value of the current plan, and how it was obtained"),
            QStringLiteral("now")},
           {tr("Difference"), true,
            tr("Difference, current plan minus other plan; only if both were obtained in the same "
               "way for the same device"),
            QStringLiteral("difference")},
           {tr("Ratio"), true, tr("Current plan divided by other plan"), QStringLiteral("ratio")}},
          parent)
{
}

void MetricModel::setDifference(PlanDifferencePointer difference)
{
    beginResetModel();
    m_difference = std::move(difference);
    endResetModel();
}

int MetricModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_difference ? 0 : int(m_difference->comparison.metrics.size());
}

QString MetricModel::text(int row, int column) const
{
    const PlanMetric &metric = m_difference->comparison.metrics[std::size_t(row)];
    switch (column) {
    case Figure:
        return fromUtf8(metric.name);
    case Before:
        return sideText(metric.before);
    case Now:
        return sideText(metric.now);
    case Change: {
        if (!metric.isComparable())
            return metric.before && metric.now ? tr("not comparable") : QString();
        const double change = metric.difference();
        if (change == 0)
            return tr("none");
        return (change < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
               metricAmount(std::abs(change), metric.now->figure.unit);
    }
    default:
        if (const auto ratio = metric.isComparable() ? metric.ratio() : std::nullopt)
            return QStringLiteral("\u00d7 ") + formatReal(*ratio);
        return {};
    }
}

QVariant MetricModel::value(int row, int column) const
{
    const PlanMetric &metric = m_difference->comparison.metrics[std::size_t(row)];
    const auto amount = [](const std::optional<PlanMetric::Side> &side) {
        return side ? QVariant(side->figure.value) : QVariant();
    };
    switch (column) {
    case Figure:
        return QStringLiteral("%1 (%2)").arg(
            fromUtf8(metric.name),
            fromUtf8((metric.now ? metric.now : metric.before)->figure.unit));
    case Before:
        return amount(metric.before);
    case Now:
        return amount(metric.now);
    case Change:
        return metric.isComparable() ? QVariant(metric.difference()) : QVariant();
    default: {
        const auto ratio = metric.isComparable() ? metric.ratio() : std::nullopt;
        return ratio ? QVariant(*ratio) : QVariant();
    }
    }
}

QString MetricModel::provenance(int row) const
{
    const PlanMetric &metric = m_difference->comparison.metrics[std::size_t(row)];
    const auto of = [](const std::optional<PlanMetric::Side> &side) {
        if (!side)
            return QString();
        const QString how = fromUtf8(nameOf(side->figure.provenance));
        return side->basis.empty() ? how : how + QStringLiteral(", ") + fromUtf8(side->basis);
    };
    const QString before = of(metric.before), now = of(metric.now);
    if (before == now || before.isEmpty())
        return now;
    return now.isEmpty() ? before : QStringLiteral("before: %1; now: %2").arg(before, now);
}

bool MetricModel::isLess(int row, int other, int column) const
{
    return column == Figure ? row < other // as they are told
                            : TableModel::isLess(row, other, column);
}

OriginModel::OriginModel(QObject *parent)
    : TableModel(
          {{tr("#"), true, tr("Position in the original model"), QStringLiteral("position")},
           {tr("Operator"), false, {}, QStringLiteral("operator")},
           {tr("Original node"), false, {}, QStringLiteral("name")},
           {tr("Result"), false,
            tr("kept: unchanged; became: replaced by other nodes; folded: computed before the "
               "model runs; unused: no output depends on it; removed: made redundant by a pass"),
            QStringLiteral("fate")},
           {tr("Replaced by"), false, {}, QStringLiteral("nodes_now")},
           {tr("Why"), false, {}, QStringLiteral("why")}},
          parent)
{
}

void OriginModel::setDifference(PlanDifferencePointer difference)
{
    beginResetModel();
    m_difference = std::move(difference);
    m_nodes.clear();
    if (m_difference) {
        const auto order = m_difference->now->model->graph.order();
        m_nodes.assign(order.begin(), order.end());
    }
    endResetModel();
}

const OriginMap::Original &OriginModel::originalAt(int row) const
{
    return m_difference->origins.fates[m_nodes[std::size_t(row)].index];
}

int OriginModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_nodes.size());
}

Item OriginModel::itemAt(int row) const
{
    return Item::original(m_nodes[std::size_t(row)]);
}

int OriginModel::rowOf(const Item &item) const
{
    if (item.kind != Item::Kind::Original || !m_difference)
        return -1;
    const Graph &model = m_difference->now->model->graph;
    return model.contains(item.node()) ? int(model.position(item.node())) : -1;
}

QString OriginModel::text(int row, int column) const
{
    const Graph &model = m_difference->now->model->graph;
    const NodeId id = m_nodes[std::size_t(row)];
    switch (column) {
    case Position:
        return QString::number(row);
    case Operator:
        return fromUtf8(model.node(id).qualifiedOp());
    case Node:
        return fromUtf8(nodeName(model, id));
    case Fate:
        return fromUtf8(nameOf(originalAt(row).fate));
    case Successors: {
        constexpr std::size_t most = 8;
        QStringList names;
        const auto &nodes = originalAt(row).nodes;
        for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
            names << fromUtf8(nodeName(m_difference->now->graph, nodes[i]));
        if (nodes.size() > most)
            names << tr("and %1 more").arg(nodes.size() - most);
        return names.join(QStringLiteral(", "));
    }
    default:
        return fromUtf8(originalAt(row).reason);
    }
}

QVariant OriginModel::value(int row, int column) const
{
    if (column == Position)
        return row;
    if (column != Successors)
        return TableModel::value(row, column);
    QStringList names; // all of them
    for (const NodeId id : originalAt(row).nodes)
        names << fromUtf8(nodeName(m_difference->now->graph, id));
    return names.isEmpty() ? QVariant() : names.join(QStringLiteral(", "));
}

} // namespace graphloom
