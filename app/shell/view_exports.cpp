// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/view_exports.h"

#include "app/common/format.h"
#include "app/export/export_dialog.h"
#include "app/style/appearance.h"
#include "app/workbench/workbench.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QMimeData>

#include <algorithm>

namespace graphloom {

namespace {

QString settingOf(const char *key)
{
    return QStringLiteral("export/") + QLatin1String(key);
}

} // namespace

ViewExports::ViewExports(QWidget &window, Workbench &bench, std::vector<ViewExport> views)
    : m_window(window), m_bench(bench), m_views(std::move(views))
{
    for (ViewExport &view : m_views)
        if (view.picture)
            view.picture = [this, make = std::move(view.picture)] {
                auto picture = make();
                if (picture)
                    picture->subject = fileNameOf(m_bench.session.path());
                return picture;
            };
    connect(bench.actions.exportPicture, &QAction::triggered, this, [this] { open(true); });
    connect(bench.actions.exportTable, &QAction::triggered, this, [this] { open(false); });
    connect(bench.actions.copyPicture, &QAction::triggered, this, &ViewExports::copy);
    m_exporter.setJobs(&bench.jobs);
    connectExporter();
    followFocus();
}

void ViewExports::followFocus()
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) {
        const QWidget *innermost = nullptr;
        for (const ViewExport &view : m_views)
            if (now && (view.view == now || view.view->isAncestorOf(now)) &&
                (!innermost || innermost->isAncestorOf(view.view))) {
                innermost = view.view;
                m_focused = view.key;
            }
    });
}

void ViewExports::connectExporter()
{
    connect(&m_exporter, &ViewExporter::progress, this, [this](double fraction) {
        if (m_dialog)
            m_dialog->setProgress(fraction);
    });
    connect(&m_exporter, &ViewExporter::written, this, [this](const QString &path) {
        m_bench.tell(MessageModel::Severity::Info, tr("Wrote %1").arg(QFileInfo(path).fileName()),
                     path);
        Q_EMIT m_bench.fileWritten(tr("Exported %1").arg(QFileInfo(path).fileName()), path);
        if (m_dialog)
            m_dialog->done(QDialog::Accepted);
    });
    connect(&m_exporter, &ViewExporter::copied, this,
            [this](const QImage &image, const QByteArray &svg) {
                auto *data = new QMimeData;
                data->setImageData(image);
                data->setData(QStringLiteral("image/svg+xml"), svg);
                QApplication::clipboard()->setMimeData(data);
                Q_EMIT m_bench.noticed(tr("Copied the picture"));
            });
    const auto endWith = [this](const QString &problem) {
        m_dialog->setRunning(false);
        m_dialog->setProblem(problem);
    };
    connect(&m_exporter, &ViewExporter::failed, this, [this, endWith](const Error &error) {
        const QString text = fromUtf8(error.text());
        if (m_dialog)
            endWith(text);
        else
            m_bench.tell(MessageModel::Severity::Error, tr("Cannot export: %1").arg(text));
        Q_EMIT m_bench.fileNotWritten(tr("Cannot export: %1").arg(text));
    });
    connect(&m_exporter, &ViewExporter::cancelled, this, [this, endWith] {
        if (m_dialog)
            endWith(tr("Cancelled: nothing was written."));
    });
}

void ViewExports::tellBusy()
{
    m_bench.warnNow(tr("Another export is still in progress"));
}

void ViewExports::copy()
{
    if (m_exporter.isRunning()) {
        tellBusy();
        return;
    }
    const ViewExport &view = *find(chosenView(true));
    const auto picture = view.picture();
    if (!picture) {
        m_bench.warnNow(tr("The view “%1” is empty").arg(view.name));
        return;
    }
    constexpr double sharp = 2; // pixels per unit
    m_exporter.copy(*picture, {.theme = *m_theme, .scale = sharp});
}

const ViewExport *ViewExports::find(const QString &key) const
{
    const auto found = std::ranges::find(m_views, key, &ViewExport::key);
    return found == m_views.end() ? nullptr : &*found;
}

QString ViewExports::chosenView(bool picture) const
{
    const ViewExport *focused = find(m_focused);
    return focused && (picture ? bool(focused->picture) : bool(focused->table))
               ? m_focused
               : m_views.front().key;
}

void ViewExports::open(bool picture)
{
    if (!m_bench.session.snapshot())
        return;
    const auto kind = picture ? ExportDialog::Kind::Picture : ExportDialog::Kind::Table;
    if (m_exporter.isRunning()) {
        if (m_dialog) {
            m_dialog->raise();
            m_dialog->activateWindow();
        } else { // a picture is being copied
            tellBusy();
        }
        return;
    }
    if (m_dialog)
        m_dialog->close();
    const auto light = loadTheme(QStringLiteral("light")), dark = loadTheme(QStringLiteral("dark"));
    const auto kept = [this](const char *key, const QVariant &usual) {
        return m_bench.settings->value(settingOf(key), usual);
    };
    const QFileInfo document(QString::fromStdString(m_bench.session.path().string()));
    ExportDialog::Choices choices;
    for (const ViewExport &view : m_views)
        if (picture ? bool(view.picture) : bool(view.table))
            choices.views.push_back(view);
    choices.view = chosenView(picture);
    choices.folder = kept("folder", document.absolutePath()).toString();
    if (!QFileInfo(choices.folder).isDir())
        choices.folder = document.absolutePath();
    choices.model = document.completeBaseName();
    choices.window = *m_theme;
    choices.light = light ? *light : *m_theme;
    choices.dark = dark ? *dark : *m_theme;
    for (Theme *theme : {&choices.light, &choices.dark}) // with the user's own colours
        apply(appearanceIn(*m_bench.settings), *theme);
    choices.format = kept(picture ? "pictureFormat" : "tableFormat", {}).toString();
    choices.theme = kept("theme", {}).toString();
    choices.scale = kept("scale", choices.scale).toDouble();
    choices.title = kept("title", true).toBool();
    choices.legend = kept("legend", true).toBool();
    choices.transparent = kept("transparent", false).toBool();
    m_dialog = new ExportDialog(kind, std::move(choices), &m_window);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_dialog, &ExportDialog::cancelWanted, &m_exporter, &ViewExporter::cancel);
    connect(m_dialog, &ExportDialog::exportWanted, this, &ViewExports::start);
    m_dialog->show();
}

void ViewExports::start(const ExportRequest &request)
{
    const auto keep = [this](const char *key, const QVariant &value) {
        m_bench.settings->setValue(settingOf(key), value);
    };
    keep("folder", QFileInfo(request.path).absolutePath());
    if (isPicture(request.format)) {
        keep("pictureFormat", extensionOf(request.format));
        keep("theme", m_dialog->theme());
        keep("scale", request.picture.scale);
        keep("title", request.picture.title);
        keep("legend", request.picture.legend);
        keep("transparent", request.picture.transparent);
    } else {
        keep("tableFormat", extensionOf(request.format));
    }
    m_dialog->setProblem({});
    m_dialog->setRunning(true);
    m_exporter.start(*find(request.view), request);
}

} // namespace graphloom
