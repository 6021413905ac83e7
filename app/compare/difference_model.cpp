// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/difference_model.h"

#include "app/compare/metric_text.h"
#include "engine/plan/node_names.h"

#include <cmath>
#include <limits>

namespace graphloom {

namespace {

QString joinedChanges(const std::vector<std::string> &texts)
{
    QStringList list;
    for (const std::string &text : texts)
        list << fromUtf8(text);
    return list.join(QStringLiteral("; "));
}

} // namespace

DifferenceModel::DifferenceModel(QObject *parent) : RowsModel(parent)
{
    const auto kind = [](const DifferenceRow &row) {
        return row.renamed ? tr("renamed")
                           : fromUtf8(signOf(row.kind)) + ' ' + fromUtf8(nameOf(row.kind));
    };
    setColumns({{tr("#"), QStringLiteral("number"), of([](int row) { return row + 1; }),
                 tr("Position in the merged order of both graphs")},
                {tr("Difference"), QStringLiteral("difference"), of(kind),
                 tr("+ only in the current plan, \u2212 only in the other plan, ~ different in "
                    "the two plans")},
                {tr("Operator"), QStringLiteral("operator"), of(&DifferenceRow::op)},
                {tr("Name"), QStringLiteral("name"), of(&DifferenceRow::name)},
                {tr("Changes"), QStringLiteral("changes"), of(&DifferenceRow::what)}});
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
            DifferenceRow row{node.kind,
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

int DifferenceModel::rowOf(const Item &item) const
{
    const auto found = m_places.find(item);
    return found == m_places.end() ? -1 : found->second;
}

MetricModel::MetricModel(QObject *parent) : RowsModel(parent)
{
    const auto figure = [](const PlanMetric &metric) {
        return QStringLiteral("%1 (%2)").arg(
            fromUtf8(metric.name),
            fromUtf8((metric.now ? metric.now : metric.before)->figure.unit));
    };
    const auto change = [](const PlanMetric &metric) {
        return metric.isComparable() ? std::optional(metric.difference()) : std::nullopt;
    };
    const auto changeText = [=, this](int row) {
        const PlanMetric &metric = at(row);
        const auto by = change(metric);
        if (!by)
            return metric.before && metric.now ? tr("not comparable") : QString();
        return *by == 0 ? tr("none")
                        : (*by < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                              metricAmount(std::abs(*by), metric.now->figure.unit);
    };
    const auto ratio = [](const PlanMetric &metric) {
        return metric.isComparable() ? metric.ratio() : std::nullopt;
    };
    const auto times = [](double number) { return QStringLiteral("\u00d7 ") + formatReal(number); };
    setColumns(
        {{tr("Figure"), QStringLiteral("figure"), // in the given order
          of(figure)
              .shownAs([this](int row) { return fromUtf8(at(row).name); })
              .sortedBy([](int row) { return row; })},
         {tr("Other plan"), QStringLiteral("before"), figures(&PlanMetric::before),
          tr("Value of the other plan, and how it was obtained")},
         {tr("Current plan"), QStringLiteral("now"), figures(&PlanMetric::now),
          tr("Value of the current plan, and how it was obtained")},
         {tr("Difference"), QStringLiteral("difference"), of(change).shownAs(changeText),
          tr("Difference, current plan minus other plan; only if both were obtained in the same "
             "way for the same device")},
         {tr("Ratio"), QStringLiteral("ratio"), of(ratio, times),
          tr("Current plan divided by other plan")}});
}

std::span<const PlanMetric> MetricModel::allRows() const
{
    return m_difference ? std::span(m_difference->comparison.metrics)
                        : std::span<const PlanMetric>();
}

Cells MetricModel::figures(std::optional<PlanMetric::Side> PlanMetric::*side) const
{
    return of([side](const PlanMetric &metric) {
               const auto &figure = metric.*side;
               return figure ? std::optional(figure->figure.value) : std::nullopt;
           })
        .shownAs([this, side](int row) { return metricText(at(row).*side); });
}

QString MetricModel::provenance(int row) const
{
    const PlanMetric &metric = at(row);
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

OriginModel::OriginModel(QObject *parent) : RowsModel(parent)
{
    constexpr std::size_t shown = 8, all = std::numeric_limits<std::size_t>::max();
    const auto model = [this]() -> const Graph & { return m_difference->now->model->graph; };
    setColumns(
        {{tr("#"), QStringLiteral("position"), of([](int row) { return row; }),
          tr("Position in the original model")},
         {tr("Operator"), QStringLiteral("operator"),
          of([model](NodeId id) { return model().node(id).qualifiedOp(); })},
         {tr("Original node"), QStringLiteral("name"),
          of([model](NodeId id) { return nodeName(model(), id); })},
         {tr("Result"), QStringLiteral("fate"),
          of([this](NodeId id) { return nameOf(originalOf(id).fate); }),
          tr("kept: unchanged; became: replaced by other nodes; folded: computed before the model "
             "runs; unused: no output depends on it; removed: made redundant by a pass")},
         {tr("Replaced by"), QStringLiteral("nodes_now"),
          of([this](NodeId id) { return successorsOf(id, all); }).shownAs([this](int row) {
              return successorsOf(at(row), shown);
          })},
         {tr("Reason"), QStringLiteral("why"),
          of([this](NodeId id) { return originalOf(id).reason; })}});
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

const OriginMap::Original &OriginModel::originalOf(NodeId id) const
{
    return m_difference->origins.fates[id.index];
}

QString OriginModel::successorsOf(NodeId id, std::size_t most) const
{
    QStringList names;
    const auto &nodes = originalOf(id).nodes;
    for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
        names << fromUtf8(nodeName(m_difference->now->graph, nodes[i]));
    if (nodes.size() > most)
        names << tr("and %1 more").arg(nodes.size() - most);
    return names.join(QStringLiteral(", "));
}

int OriginModel::rowOf(const Item &item) const
{
    if (item.kind != Item::Kind::Original || !m_difference)
        return -1;
    const Graph &model = m_difference->now->model->graph;
    return model.contains(item.node()) ? int(model.position(item.node())) : -1;
}

} // namespace graphloom
