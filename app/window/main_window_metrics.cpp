// SPDX-License-Identifier: GPL-3.0-or-later
// What the window colours nodes by.
#include "app/window/main_window.h"

#include "app/models/format.h"
#include "app/models/nested_snapshot.h"
#include "app/views/canvas_page.h"
#include "app/views/legend.h"
#include "app/views/node_list_panel.h"

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
    m_dataReader.start(
        [file, own = ownGraph(m_navigator.shown())](
            std::stop_token) -> Result<std::pair<OwnData, QStringList>> {
            auto table = readOwnData(file);
            if (!table)
                return tl::unexpected(table.error());
            QStringList unknown = metricsOf(*table, *own).unknown;
            return std::pair{*std::move(table), std::move(unknown)};
        },
        [this](const Result<std::pair<OwnData, QStringList>> &read) {
            if (!read) {
                m_session.messages().add(
                    MessageModel::Severity::Error,
                    tr("The data cannot be read: %1").arg(fromUtf8(read.error().text())));
                return;
            }
            const auto &[table, unknown] = *read;
            std::erase_if(m_ownData, [&](const OwnData &of) { return of.name == table.name; });
            m_ownData.push_back(table);
            const auto rows = qsizetype(table.rows.size());
            m_session.messages().add(unknown.isEmpty() ? MessageModel::Severity::Info
                                                       : MessageModel::Severity::Warning,
                                     tr("%1: %2 of %3 rows are of nodes of this model")
                                         .arg(table.name)
                                         .arg(rows - unknown.size())
                                         .arg(rows),
                                     unknown.mid(0, mostNamed).join('\n'));
            chooseMetric(QStringLiteral("data:%1:%2").arg(table.name, table.columns.front().name));
            updateActions();
        });
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
