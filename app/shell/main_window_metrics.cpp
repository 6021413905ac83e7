// SPDX-License-Identifier: GPL-3.0-or-later
// What the window colours nodes by.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/drawing/legend.h"
#include "app/graph/canvas_page.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/query/search_bar.h"
#include "app/snapshot/nested_snapshot.h"

#include <QComboBox>
#include <QFileDialog>
#include <QSignalBlocker>

#include <algorithm>

namespace graphloom {

namespace {

const QString subgraphKey = QStringLiteral("subgraph"), timeKey = QStringLiteral("time"),
              liveKey = QStringLiteral("live"), loadKey = QStringLiteral("load");
constexpr qsizetype mostNamed = 20; // rows of no node that a message lists

} // namespace

void MainWindow::connectMetrics()
{
    const Actions &a = *m_actions;
    connect(&m_page->colourBox(), &QComboBox::activated, this, [this](int index) {
        const QString key = m_page->colourBox().itemData(index).toString();
        if (key == loadKey) {
            listMetrics(); // it is no colour
            loadData();
        } else {
            chooseMetric(key);
        }
    });
    connect(a.heat, &QAction::toggled, this, [this](bool on) {
        if (on != (m_metricKey == timeKey))
            chooseMetric(on ? timeKey : QString());
    });
    connect(a.colourByClass, &QAction::triggered, this, [this] { chooseMetric({}); });
    connect(a.colourBySubgraph, &QAction::triggered, this, [this] { chooseMetric(subgraphKey); });
    connect(a.loadData, &QAction::triggered, this, &MainWindow::loadData);
    connect(a.removeData, &QAction::triggered, this, [this] {
        m_ownData.clear();
        shareOwnData(nullptr);
        if (m_metricKey.startsWith(QLatin1String("data:")))
            m_metricKey.clear();
        refreshMetric();
        updateActions();
    });
}

void MainWindow::chooseMetric(const QString &key)
{
    m_metricKey = key;
    if (key == subgraphKey)
        m_actions->colourBySubgraph->setChecked(true);
    else
        m_actions->colourByClass->setChecked(true);
    m_actions->heat->setChecked(key == timeKey);
    refreshMetric();
}

/// Of what is shown now, which may be another graph, or another plan of it.
void MainWindow::refreshMetric()
{
    const SnapshotPointer &shown = m_navigator.shown();
    m_metric = shown ? metricOfKey(m_metricKey) : nullptr;
    m_nodes->setMetric(m_metric);
    m_properties->setData(m_ownTable, m_metric);
    listMetrics();
    colourNodes();
}

MetricPointer MainWindow::metricOfKey(const QString &key) const
{
    const Snapshot &shown = *m_navigator.shown();
    if (key.isEmpty() || key == subgraphKey)
        return nullptr;
    if (key == timeKey) // of the model's own graph
        return m_heat && !m_navigator.isInside() ? std::make_shared<TimeMetric>(m_heat) : nullptr;
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

void MainWindow::listMetrics()
{
    QComboBox &box = m_page->colourBox();
    const QSignalBlocker blocker(box);
    box.clear();
    box.addItem(tr("Operator class"), QString());
    if (m_navigator.shown() && m_navigator.shown()->partition)
        box.addItem(tr("Subgraph"), subgraphKey);
    if (m_heat)
        box.addItem(tr("Time"), timeKey);
    for (const NodeFigure &figure : nodeFigures())
        if (figure.colours) {
            QString title = figure.translatedTitle();
            title[0] = title[0].toUpper();
            box.addItem(title, QLatin1String(figure.key));
        }
    box.addItem(tr("Live memory"), liveKey);
    for (const OwnData &own : m_ownData)
        for (const OwnData::Column &column : own.columns)
            box.addItem(QStringLiteral("%1: %2").arg(own.name, column.name),
                        QStringLiteral("data:%1:%2").arg(own.name, column.name));
    box.insertSeparator(box.count());
    box.addItem(tr("Load data…"), loadKey);
    box.setCurrentIndex(std::max(0, box.findData(m_metric                     ? m_metricKey
                                                 : m_metricKey == subgraphKey ? subgraphKey
                                                                              : QString())));
}

void MainWindow::loadData()
{
    auto *dialog = new QFileDialog(this, tr("Load data about nodes"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Data about nodes (*.csv *.tsv *.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList &files) {
        for (const QString &file : files)
            openData(file.toStdString());
    });
    dialog->open();
}

void MainWindow::openData(const std::filesystem::path &file)
{
    if (!m_navigator.shown())
        return;
    struct Outcome {
        std::vector<OwnData> all; // with what was loaded before
        OwnTablePointer table;
        QStringList unknown;
    };
    m_dataReader.announceUnstoppable(&m_jobs, tr("Reading %1").arg(fileNameOf(file)));
    m_dataReader.start(
        [file, known = m_ownData,
         own = ownGraph(m_navigator.shown())](std::stop_token) mutable -> Result<Outcome> {
            auto read = readOwnData(file);
            if (!read)
                return tl::unexpected(read.error());
            Outcome outcome{std::move(known), nullptr, metricsOf(*read, *own).unknown};
            std::erase_if(outcome.all, [&](const OwnData &of) { return of.name == read->name; });
            outcome.all.push_back(*std::move(read));
            outcome.table = std::make_shared<const OwnTable>(outcome.all);
            return outcome;
        },
        [this](Result<Outcome> outcome) {
            if (!outcome) {
                m_session.messages().add(
                    MessageModel::Severity::Error,
                    tr("The data cannot be read: %1").arg(fromUtf8(outcome.error().text())));
                return;
            }
            m_ownData = std::move(outcome->all);
            shareOwnData(std::move(outcome->table));
            const OwnData &newest = m_ownData.back();
            const QStringList &unknown = outcome->unknown;
            const auto rows = qsizetype(newest.rows.size());
            m_session.messages().add(unknown.isEmpty() ? MessageModel::Severity::Info
                                                       : MessageModel::Severity::Warning,
                                     tr("%1: %2 of %3 rows are of nodes of this model")
                                         .arg(newest.name)
                                         .arg(rows - unknown.size())
                                         .arg(rows),
                                     unknown.mid(0, mostNamed).join('\n'));
            chooseMetric(
                QStringLiteral("data:%1:%2").arg(newest.name, newest.columns.front().name));
            updateActions();
        });
}

/// To all that can be asked for it.
void MainWindow::shareOwnData(OwnTablePointer table)
{
    m_ownTable = std::move(table);
    m_page->search().setOwnData(m_ownTable);
    m_nodes->setOwnData(m_ownTable);
    m_hierarchy->setOwnData(m_ownTable);
    m_properties->setData(m_ownTable, m_metric);
}

void MainWindow::colourNodes()
{
    const Colouring colours = nodeColours();
    m_page->legend().setMetric(colours.metric, colours.range);
    if (m_theme && (m_theme != m_shownTheme || colours != m_shownColours)) {
        m_shownTheme = m_theme;
        m_shownColours = colours;
        m_page->canvas().setAppearance(m_theme, colours);
    }
}

/// The scale is of what is drawn: where groups are closed, of the groups.
Colouring MainWindow::nodeColours() const
{
    Colouring colours(m_actions->colourBySubgraph->isChecked() ? NodeColours::Subgraph
                                                               : NodeColours::OperatorClass,
                      m_metric);
    const DrawingPointer &drawing = m_page->canvas().drawing();
    if (m_metric && drawing) {
        std::vector<Item> items;
        for (const VisibleGraph::Node &node : drawing->graph.nodes)
            items.push_back(node.item);
        colours.range = m_metric->rangeOf(*drawing->snapshot, items);
    }
    return colours;
}

} // namespace graphloom
