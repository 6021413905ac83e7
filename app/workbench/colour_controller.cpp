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
    connect(a.colourByError, &QAction::toggled, this, [this](bool on) {
        if (on != (m_key == errorMetricKey))
            choose(on ? QString(errorMetricKey) : QString());
    });
    connect(a.colourByClass, &QAction::triggered, this, [this] { choose({}); });
    connect(a.colourBySubgraph, &QAction::triggered, this, [this] { choose(subgraphKey); });
    connect(&bench.sides, &Sides::shownChanged, this, [this] {
        refreshOther();
        Q_EMIT changed();
    });
    connect(a.removeData, &QAction::triggered, this, &ColourController::removeData);
}

void ColourController::choose(const QString &metric)
{
    m_key = metric;
    const Actions &a = m_bench.actions;
    (metric == subgraphKey ? a.colourBySubgraph : a.colourByClass)->setChecked(true);
    a.heat->setChecked(metric == timeKey);
    a.colourByError->setChecked(metric == errorMetricKey);
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
    if (m_errors)
        all.emplace_back(tr("Error"), errorMetricKey);
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
    refreshErrors();
    m_metric = m_bench.navigator.shown() ? metricOfKey(m_key, *m_bench.navigator.shown()) : nullptr;
    refreshOther();
    Q_EMIT changed();
}

/// Takes the errors of the graph that is shown, for colours and for queries.
void ColourController::refreshErrors()
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    const VerificationPointer verification =
        shown && !shown->nested ? m_bench.verification.current() : nullptr;
    const auto facts = verification ? shown->facts : nullptr;
    if (verification == m_verification && facts == m_verified)
        return;
    m_verification = verification;
    m_verified = facts;
    m_errors = verification ? errorMetricOf(*verification, *shown) : nullptr;
    share(m_ownTable);
}

void ColourController::refreshOther()
{
    const SnapshotPointer &other = m_bench.sides.before();
    m_otherMetric = other ? metricOfKey(m_key, *other) : nullptr;
}

MetricPointer ColourController::metricOfKey(const QString &key, const Snapshot &shown) const
{
    if (key.isEmpty() || key == subgraphKey)
        return nullptr;
    if (key == timeKey) { // only for main graphs
        HeatPointer heat = m_bench.kernels.heat();
        if (&shown == m_bench.sides.before().get()) {
            const PlanRunPointer run = m_bench.kernels.runOf(*shown.plan);
            heat = run ? std::make_shared<const Heat>(run) : nullptr;
        }
        return heat && !shown.around ? std::make_shared<TimeMetric>(heat) : nullptr;
    }
    if (key == errorMetricKey)
        return &shown == m_bench.navigator.shown().get() ? m_errors : nullptr;
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
    const bool isOther = drawing && drawing->snapshot == m_bench.sides.before();
    const MetricPointer &metric = isOther ? m_otherMetric : m_metric;
    Colouring colours(m_bench.actions.colourBySubgraph->isChecked() ? NodeColours::Subgraph
                                                                    : NodeColours::OperatorClass,
                      metric);
    if (metric && drawing)
        colours.range = (isOther ? m_otherScale : m_scale).of(drawing, metric);
    return colours;
}

MetricRange ColourController::Scale::of(const DrawingPointer &drawing, const MetricPointer &metric)
{
    if (m_drawing.lock() == drawing && m_metric == metric)
        return m_range;
    std::vector<Item> items;
    for (const VisibleGraph::Node &node : drawing->graph.nodes)
        items.push_back(node.item);
    m_drawing = drawing;
    m_metric = metric;
    m_range = metric->rangeOf(*drawing->snapshot, items);
    return m_range;
}

void ColourController::readData(const std::filesystem::path &file)
{
    read(fileNameOf(file), [file] { return readOwnData(file); });
}

void ColourController::readText(const QString &text, const QString &name)
{
    read(name, [text = text.toStdString(), name] { return parseOwnData(text, name); });
}

void ColourController::read(const QString &name, MakeData make)
{
    m_waiting.emplace_back(name, std::move(make));
    if (!m_reader.isRunning())
        startNext();
}

void ColourController::startNext()
{
    if (!m_bench.navigator.shown())
        m_waiting.clear();
    if (m_waiting.empty())
        return;
    const auto [name, make] = std::move(m_waiting.front());
    m_waiting.pop_front();
    struct Outcome {
        std::vector<OwnData> all; // includes earlier data
        OwnTablePointer table;
        QStringList unknown;
    };
    m_reader.announceUnstoppable(&m_bench.jobs, tr("Reading %1").arg(name));
    m_reader.start(
        [make, known = m_ownData,
         own = ownGraph(m_bench.navigator.shown())](std::stop_token) mutable -> Result<Outcome> {
            GL_TRY_RESULT(read, make());
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
                startNext();
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
            startNext();
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
    m_waiting.clear();
    m_ownData.clear();
    share(nullptr);
}

void ColourController::share(OwnTablePointer table)
{
    static const auto none = std::make_shared<const OwnTable>(std::vector<OwnData>());
    if (m_errors)
        m_ownTable = (table ? table : none)->with({m_errors});
    else if (m_ownData.empty()) // the table may have had errors only
        m_ownTable = nullptr;
    else
        m_ownTable = table && !table->metrics().empty() ? table->with({}) : std::move(table);
    Q_EMIT ownDataChanged();
}

void ColourController::updateActions()
{
    m_bench.actions.heat->setEnabled(m_bench.kernels.heat() != nullptr);
    m_bench.actions.colourByError->setEnabled(m_errors != nullptr);
    m_bench.actions.removeData->setEnabled(!m_ownData.empty());
}

} // namespace graphloom
