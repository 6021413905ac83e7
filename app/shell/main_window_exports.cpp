// SPDX-License-Identifier: GPL-3.0-or-later
// What of the window's views can be written to files, and how one gets there.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/compare/compare_panel.h"
#include "app/drawing/graph_picture.h"
#include "app/export/export_dialog.h"
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/kernels/roofline_view.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/pareto/pareto_view.h"
#include "app/properties/properties_panel.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/runs/run_panel.h"
#include "app/runs/search_view.h"
#include "app/status/message_panel.h"
#include "app/tuning/tuning_panel.h"
#include "app/tuning/tuning_view.h"
#include "app/widgets/histogram_view.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QTreeView>

namespace graphloom {

namespace {

/// What the table shows: filtered and sorted.
std::function<TableSource()> tableOf(FilteredTable &table)
{
    return [&table] { return sourceOf(table.filter()); };
}

} // namespace

void MainWindow::listExports()
{
    using Picture = std::optional<ViewPicture>;
    GraphCanvas &canvas = m_page->canvas();
    const auto graph = [this, &canvas]() -> Picture {
        const DrawingPointer &drawing = canvas.drawing();
        return drawing ? Picture(graphPicture(drawing, nodeColours())) : std::nullopt;
    };
    const auto memory = [this] { return m_memory->picture(); };
    const auto tensors = [this] { return m_memory->tensorSource(); };
    const auto pareto = [this] { return m_pareto->view().picture(); };
    const auto curve = [this] { return m_runPanel->drawnSearch().picture(); };
    const auto roofs = [this] { return m_kernels->roofline().picture(); };
    const auto trials = [this] { return m_kernels->tuning().picture(); };
    const auto histogram = [this] { return m_partition->histogram().picture(); };
    const auto rewriting = [this] { return m_rewriting->picture(); };
    const auto compared = [this] { return m_compare->picture(); };
    TuningPanel &tuning = m_kernels->tuning();
    m_exports = {
        {QStringLiteral("graph"), tr("Graph"), &canvas, graph, tableOf(m_nodes->list())},
        {QStringLiteral("nodes"), tr("Nodes"), m_nodes, {}, tableOf(m_nodes->list())},
        {QStringLiteral("hierarchy"),
         tr("Hierarchy"),
         m_hierarchy,
         {},
         [this] { return sourceOf(m_hierarchy->model()); }},
        {QStringLiteral("properties"),
         tr("Properties of the selection"),
         m_properties,
         {},
         [this] { return sourceOf(m_properties->model()); }},
        {QStringLiteral("partition"), tr("Partition"), m_partition, histogram,
         tableOf(m_partition->list())},
        {QStringLiteral("fusion"), tr("Fusion blocks"), m_fusion, {}, tableOf(m_fusion->list())},
        {QStringLiteral("fissions"),
         tr("Fission regions"),
         m_fissions,
         {},
         tableOf(m_fissions->list())},
        {QStringLiteral("compare"), tr("Differences of two plans"), m_compare, compared,
         tableOf(m_compare->differenceTable())},
        {QStringLiteral("figures"), tr("Figures of two plans"), &m_compare->metricTable(), compared,
         tableOf(m_compare->metricTable())},
        {QStringLiteral("origins"), tr("What became of the model's nodes"),
         &m_compare->originTable(), compared, tableOf(m_compare->originTable())},
        {QStringLiteral("rewriting"), tr("Rewrite steps"), m_rewriting, rewriting,
         tableOf(m_rewriting->steps())},
        {QStringLiteral("rules"),
         tr("Rules applied"),
         &m_rewriting->rules(),
         {},
         tableOf(m_rewriting->rules())},
        {QStringLiteral("kernels"), tr("Kernels"), m_kernels, roofs, tableOf(m_kernels->list())},
        {QStringLiteral("roofline"), tr("Roofline"), &m_kernels->roofline(), roofs,
         tableOf(m_kernels->list())},
        {QStringLiteral("tuning"), tr("Trials of the tuner"), &tuning, trials,
         tableOf(tuning.list())},
        {QStringLiteral("trials"), tr("Table of trials"), &tuning.list(), trials,
         tableOf(tuning.list())},
        {QStringLiteral("memory"), tr("Memory timeline"), m_memory, memory, tensors},
        {QStringLiteral("tensors"), tr("Tensors in memory"), &m_memory->tensorTable(), memory,
         tensors},
        {QStringLiteral("steps"), tr("Steps in memory"), &m_memory->stepTable(), memory,
         [this] { return m_memory->stepSource(); }},
        {QStringLiteral("pareto"), tr("Latency and memory of plans"), m_pareto, pareto,
         tableOf(m_pareto->list())},
        {QStringLiteral("runs"), tr("Runs"), m_runPanel, curve, tableOf(m_runPanel->list())},
        {QStringLiteral("search"), tr("Best so far of searches"), &m_runPanel->search(), curve,
         [this] { return sourceOf(m_runPanel->drawnSearch().history()); }},
        {QStringLiteral("rejected"),
         tr("Rejected candidates"),
         &m_runPanel->reasons(),
         {},
         tableOf(m_runPanel->reasons())},
        {QStringLiteral("messages"),
         tr("Messages"),
         m_messages,
         {},
         [this] { return sourceOf(m_session.messages()); }},
    };
    for (ViewExport &view : m_exports)
        if (view.picture)
            view.picture = [this, make = std::move(view.picture)] {
                auto picture = make();
                if (picture)
                    picture->subject = fileNameOf(m_session.path());
                return picture;
            };
}

void MainWindow::connectExports()
{
    listExports();
    const QList<QAction *> actions{m_actions->exportPicture, m_actions->exportTable};
    connect(actions[0], &QAction::triggered, this, [this] { openExport(true); });
    connect(actions[1], &QAction::triggered, this, [this] { openExport(false); });
    // Views whose menus are not made by showMenu().
    for (FilteredTable *table : findChildren<FilteredTable *>())
        table->table().addActions(actions);
    for (QWidget *view : std::initializer_list<QWidget *>{
             &m_memory->view(), &m_pareto->view(), &m_runPanel->search(), &m_kernels->roofline(),
             &m_kernels->tuning().view(), &m_partition->histogram(), &m_rewriting->before(),
             &m_rewriting->after(), &m_messages->list(), &m_properties->tree()}) {
        view->addActions(actions);
        view->setContextMenuPolicy(Qt::ActionsContextMenu);
    }
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) {
        const QWidget *innermost = nullptr;
        for (const ViewExport &view : m_exports)
            if (now && (view.view == now || view.view->isAncestorOf(now)) &&
                (!innermost || innermost->isAncestorOf(view.view))) {
                innermost = view.view;
                m_focusedView = view.key;
            }
    });
    connect(&m_viewExporter, &ViewExporter::progress, this, [this](double fraction) {
        if (m_exportDialog)
            m_exportDialog->setProgress(fraction);
    });
    connect(&m_viewExporter, &ViewExporter::written, this, [this](const QString &path) {
        m_session.messages().add(MessageModel::Severity::Info,
                                 tr("Wrote %1").arg(QFileInfo(path).fileName()), path);
        if (m_exportDialog)
            m_exportDialog->done(QDialog::Accepted);
    });
    connect(&m_viewExporter, &ViewExporter::failed, this, [this](const Error &error) {
        const QString text = fromUtf8(error.text());
        if (m_exportDialog) {
            m_exportDialog->setRunning(false);
            m_exportDialog->setProblem(text);
        } else {
            m_session.messages().add(MessageModel::Severity::Error,
                                     tr("Cannot export: %1").arg(text));
        }
    });
    connect(&m_viewExporter, &ViewExporter::cancelled, this, [this] {
        if (m_exportDialog) {
            m_exportDialog->setRunning(false);
            m_exportDialog->setProblem(tr("Cancelled: nothing was written."));
        }
    });
}

const ViewExport *MainWindow::exportOf(const QString &key) const
{
    const auto found = std::ranges::find(m_exports, key, &ViewExport::key);
    return found == m_exports.end() ? nullptr : &*found;
}

QString MainWindow::exportedView(bool picture) const
{
    const ViewExport *focused = exportOf(m_focusedView);
    return focused && (picture ? bool(focused->picture) : bool(focused->table))
               ? m_focusedView
               : QStringLiteral("graph");
}

void MainWindow::openExport(bool picture)
{
    if (!m_session.snapshot())
        return;
    const auto kind = picture ? ExportDialog::Kind::Picture : ExportDialog::Kind::Table;
    if (m_exportDialog && m_viewExporter.isRunning()) { // that one comes first
        m_exportDialog->raise();
        m_exportDialog->activateWindow();
        return;
    }
    if (m_exportDialog)
        m_exportDialog->close();
    const auto light = loadTheme(QStringLiteral("light")), dark = loadTheme(QStringLiteral("dark"));
    const auto kept = [this](const char *key, const QVariant &usual) {
        return m_settings->value(QStringLiteral("export/") + QLatin1String(key), usual);
    };
    const QFileInfo document(QString::fromStdString(m_session.path().string()));
    ExportDialog::Choices choices;
    for (const ViewExport &view : m_exports)
        if (picture ? bool(view.picture) : bool(view.table))
            choices.views.push_back(view);
    choices.view = exportedView(picture);
    choices.folder = kept("folder", document.absolutePath()).toString();
    if (!QFileInfo(choices.folder).isDir())
        choices.folder = document.absolutePath();
    choices.model = document.completeBaseName();
    choices.window = *m_theme;
    choices.light = light ? *light : *m_theme;
    choices.dark = dark ? *dark : *m_theme;
    choices.format = kept(picture ? "pictureFormat" : "tableFormat", {}).toString();
    choices.theme = kept("theme", {}).toString();
    choices.scale = kept("scale", choices.scale).toDouble();
    choices.title = kept("title", true).toBool();
    choices.legend = kept("legend", true).toBool();
    choices.transparent = kept("transparent", false).toBool();
    m_exportDialog = new ExportDialog(kind, std::move(choices), this);
    m_exportDialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_exportDialog, &ExportDialog::cancelWanted, &m_viewExporter, &ViewExporter::cancel);
    connect(m_exportDialog, &ExportDialog::exportWanted, this,
            [this](const ExportRequest &request) {
                const auto keep = [this](const char *key, const QVariant &value) {
                    m_settings->setValue(QStringLiteral("export/") + QLatin1String(key), value);
                };
                keep("folder", QFileInfo(request.path).absolutePath());
                if (isPicture(request.format)) {
                    keep("pictureFormat", extensionOf(request.format));
                    keep("theme", m_exportDialog->theme());
                    keep("scale", request.picture.scale);
                    keep("title", request.picture.title);
                    keep("legend", request.picture.legend);
                    keep("transparent", request.picture.transparent);
                } else {
                    keep("tableFormat", extensionOf(request.format));
                }
                m_exportDialog->setProblem({});
                m_exportDialog->setRunning(true);
                m_viewExporter.start(*exportOf(request.view), request);
            });
    m_exportDialog->show();
}

} // namespace graphloom
