// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/colour_controller.h"

#include "app/common/format.h"
#include "app/snapshot/nested_snapshot.h"
#include "app/workbench/workbench.h"

#include <algorithm>

namespace graphloom {

namespace {

const QString subgraphKey = QStringLiteral("subgraph"), timeKey = QStringLiteral("time"),
              liveKey = QStringLiteral("live"), dataPrefix = QStringLiteral("data:");
constexpr qsizetype mostNamed = 20; // unmatched rows listed in a message

QString dataKey(const OwnData &own, const OwnData::Column &column)
{
    return dataPrefix + QStringLiteral("%1:%2").arg(own.name, column.name);
}

} // namespace

ColourController::ColourController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    connect(a.heat, &QAction::toggled, this, [this](bool on) {
        if (on != (m_key == timeKey))
            choose(on ? timeKey : QString());
    });
    connect(a.colourByClass, &QAction::triggered, this, [this] { choose({}); });
    connect(a.colourBySubgraph, &QAction::triggered, this, [this] { choose(subgraphKey); });
    connect(a.removeData, &QAction::triggered, this, &ColourController::removeData);
}

void ColourController::choose(const QString &metric)
{
    m_key = metric;
    const Actions &a = m_bench.actions;
    (metric == subgraphKey ? a.colourBySubgraph : a.colourByClass)->setChecked(true);
    a.heat->setChecked(metric == timeKey);
    refresh();
}

QString ColourController::chosen() const
{
    return m_metric || m_key == subgraphKey ? m_key : QString();
}

std::vector<std::pair<QString, QString>> ColourController::metrics() const
{
    std::vector<std::pair<QString, QString>> all{{tr("Operator class"), QString()}};
    const SnapshotPointer &shown = m_bench.navigator.shown();
    if (shown && shown->partition)
        all.emplace_back(tr("Subgraph"), subgraphKey);
    if (m_bench.kernels.heat())
        all.emplace_back(tr("Time"), timeKey);
    for (const NodeFigure &figure : nodeFigures())
        if (figure.colours) {
            QString title = figure.translatedTitle();
            title[0] = title[0].toUpper();
            all.emplace_back(title, QLatin1String(figure.key));
        }
    all.emplace_back(tr("Live memory"), liveKey);
    for (const OwnData &own : m_ownData)
        for (const OwnData::Column &column : own.columns)
            all.emplace_back(QStringLiteral("%1: %2").arg(own.name, column.name),
                             dataKey(own, column));
    return all;
}

void ColourController::refresh()
{
    m_metric = m_bench.navigator.shown() ? metricOfKey(m_key) : nullptr;
    Q_EMIT changed();
}

MetricPointer ColourController::metricOfKey(const QString &key) const
{
    const Snapshot &shown = *m_bench.navigator.shown();
    const HeatPointer &heat = m_bench.kernels.heat();
    if (key.isEmpty() || key == subgraphKey)
        return nullptr;
    if (key == timeKey) // only for the main graph
        return heat && !m_bench.navigator.isInside() ? std::make_shared<TimeMetric>(heat) : nullptr;
    if (key == liveKey)
        return liveMetricOf(shown);
    if (const NodeFigure *figure = nodeFigure(key))
        return metricOf(*figure, shown);
    for (const OwnData &own : m_ownData)
        for (const MetricPointer &metric : metricsOf(own, shown).metrics)
            if (metric->key == key)
                return metric;
    return nullptr;
}

Colouring ColourController::colours(const DrawingPointer &drawing) const
{
    Colouring colours(m_bench.actions.colourBySubgraph->isChecked() ? NodeColours::Subgraph
                                                                    : NodeColours::OperatorClass,
                      m_metric);
    if (m_metric && drawing) {
        std::vector<Item> items;
        for (const VisibleGraph::Node &node : drawing->graph.nodes)
            items.push_back(node.item);
        colours.range = m_metric->rangeOf(*drawing->snapshot, items);
    }
    return colours;
}

void ColourController::readData(const std::filesystem::path &file)
{
    if (!m_bench.navigator.shown())
        return;
    struct Outcome {
        std::vector<OwnData> all; // includes earlier data
        OwnTablePointer table;
        QStringList unknown;
    };
    m_reader.announceUnstoppable(&m_bench.jobs, tr("Reading %1").arg(fileNameOf(file)));
    m_reader.start(
        [file, known = m_ownData,
         own = ownGraph(m_bench.navigator.shown())](std::stop_token) mutable -> Result<Outcome> {
            GL_TRY_RESULT(read, readOwnData(file));
            Outcome outcome{std::move(known), nullptr, metricsOf(*read, *own).unknown};
            std::erase_if(outcome.all, [&](const OwnData &of) { return of.name == read->name; });
            outcome.all.push_back(*std::move(read));
            outcome.table = std::make_shared<const OwnTable>(outcome.all);
            return outcome;
        },
        [this](Result<Outcome> outcome) {
            if (!outcome) {
                m_bench.tell(
                    MessageModel::Severity::Error,
                    tr("Cannot read the node data: %1").arg(fromUtf8(outcome.error().text())));
                return;
            }
            m_ownData = std::move(outcome->all);
            share(std::move(outcome->table));
            const OwnData &newest = m_ownData.back();
            const QStringList &unknown = outcome->unknown;
            const auto rows = qsizetype(newest.rows.size());
            m_bench.tell(unknown.isEmpty() ? MessageModel::Severity::Info
                                           : MessageModel::Severity::Warning,
                         tr("%1: %2 of %3 rows match nodes of this model")
                             .arg(newest.name)
                             .arg(rows - unknown.size())
                             .arg(rows),
                         unknown.mid(0, mostNamed).join('\n'));
            choose(dataKey(newest, newest.columns.front()));
            m_bench.updateActions();
        });
}

void ColourController::removeData()
{
    forgetData();
    if (m_key.startsWith(dataPrefix))
        m_key.clear();
    refresh();
    m_bench.updateActions();
}

void ColourController::forgetData()
{
    m_ownData.clear();
    share(nullptr);
}

void ColourController::share(OwnTablePointer table)
{
    m_ownTable = std::move(table);
    Q_EMIT ownDataChanged();
}

void ColourController::updateActions()
{
    m_bench.actions.heat->setEnabled(m_bench.kernels.heat() != nullptr);
    m_bench.actions.removeData->setEnabled(!m_ownData.empty());
}

} // namespace graphloom
