// SPDX-License-Identifier: GPL-3.0-or-later
// How files come to the window and leave it.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/export/export_jobs.h"
#include "app/graph/canvas_page.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QRegularExpression>

namespace graphloom {

void MainWindow::openDocument(const std::filesystem::path &path)
{
    whenNoWorkIsLost([this, path] {
        m_requested = path;
        m_session.open(path, m_options.import, m_options.training);
    });
}

void MainWindow::closeDocument()
{
    whenNoWorkIsLost([this] { m_session.close(); });
}

void MainWindow::chooseFile()
{
    auto *dialog = new QFileDialog(this, tr("Open a model"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Models and sessions (*.onnx *.gloom *.dot *.gv)"), tr("All files (*)")});
    if (!m_session.path().empty())
        dialog->setDirectory(QString::fromStdString(
            std::filesystem::absolute(m_session.path()).parent_path().string()));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { openDocument(path.toStdString()); });
    dialog->show();
}

void MainWindow::chooseExport(const QString &title, const QStringList &filters,
                              const QString &suffix)
{
    auto *dialog = new QFileDialog(this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1)
                                     .section(QRegularExpression(QStringLiteral("[ )]")), 0, 0));
    });
    const QString base = QFileInfo(fileNameOf(m_session.path())).completeBaseName();
    dialog->selectFile(
        base +
        (suffix == QLatin1String("onnx") ? QStringLiteral("-graphloom.") : QStringLiteral(".")) +
        suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { exportTo(path.toStdString()); });
    dialog->show();
}

void MainWindow::exportTo(const std::filesystem::path &path)
{
    const DrawingPointer drawing = m_page->canvas().drawing();
    const SnapshotPointer snapshot = m_session.snapshot();
    if (!snapshot || !drawing)
        return;
    writeInBackground(path, [snapshot, drawing, path](const std::stop_token &stop) {
        return exportFile(*snapshot->plan, *drawing, path, stop);
    });
}

void MainWindow::writeInBackground(const std::filesystem::path &path,
                                   std::function<Result<void>(std::stop_token)> write)
{
    if (m_exporter.isRunning()) {
        m_session.messages().add(MessageModel::Severity::Warning,
                                 tr("Another export is still being written"));
        return;
    }
    m_exporter.announce(&m_jobs, tr("Writing %1").arg(fileNameOf(path)));
    m_exporter.start(std::move(write), [this, path](const Result<void> &written) {
        if (!written && m_exporter.isStopped()) {
            m_session.messages().add(MessageModel::Severity::Info,
                                     tr("Writing %1 was cancelled").arg(fileNameOf(path)));
            return;
        }
        if (!written) {
            m_session.messages().add(
                MessageModel::Severity::Error,
                tr("Cannot write %1: %2").arg(fileNameOf(path), fromUtf8(written.error().text())));
            return;
        }
        m_session.messages().add(MessageModel::Severity::Info, tr("Wrote %1").arg(fileNameOf(path)),
                                 QString::fromStdString(path.string()));
        Q_EMIT exported();
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const auto urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile())
        return;
    event->acceptProposedAction();
    openDocument(urls.front().toLocalFile().toStdString());
}

} // namespace graphloom
