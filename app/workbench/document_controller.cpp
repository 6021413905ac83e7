// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/document_controller.h"

#include "app/common/format.h"
#include "app/common/show_folder.h"
#include "app/export/export_jobs.h"
#include "app/tabs/document_host.h"
#include "app/workbench/workbench.h"
#include "engine/onnx/import.h"

#include <QClipboard>
#include <QDateTime>
#include <QFileInfo>
#include <QGuiApplication>

#include <utility>

namespace graphloom {

DocumentController::DocumentController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    Session &session = bench.session;
    connect(a.close, &QAction::triggered, this, [this] {
        if (host)
            host->close(m_bench);
        else
            close();
    });
    connect(a.copyPath, &QAction::triggered, this, &DocumentController::copyPath);
    connect(a.showInFolder, &QAction::triggered, this, &DocumentController::showInFolder);
    connect(a.save, &QAction::triggered, this, &DocumentController::save);
    connect(a.saveAs, &QAction::triggered, this, [this] { Q_EMIT placeWanted(false); });
    connect(a.saveEmbedded, &QAction::triggered, this, [this] { Q_EMIT placeWanted(true); });
    connect(&m_html, &HtmlExporter::ready, this, &DocumentController::write);
    connect(a.recover, &QAction::triggered, this, &DocumentController::recover);
    connect(&session, &Session::openingFinished, this, [this](bool succeeded) {
        const std::filesystem::path &path = m_bench.session.path();
        if (succeeded && !path.empty())
            Q_EMIT used(absolutePath(path));
        else if (!m_requested.empty() && !QFileInfo::exists(absolutePath(m_requested)))
            Q_EMIT vanished(absolutePath(m_requested));
        m_requested.clear();
        Q_EMIT titleChanged();
        if (std::exchange(m_recovers, false) && succeeded)
            Q_EMIT recovered();
    });
    connect(&session.undoStack(), &QUndoStack::cleanChanged, this,
            &DocumentController::titleChanged);
    connect(&session, &Session::modified, this, &DocumentController::titleChanged);
    connect(&session, &Session::saved, this, [this](bool succeeded) {
        Q_EMIT titleChanged();
        const auto then = std::exchange(m_afterSaving, {});
        const bool elsewhere = std::exchange(m_savesElsewhere, false);
        if (!succeeded)
            Q_EMIT m_bench.fileNotWritten(
                m_bench.session.messages().index(0).data().toString()); // the newest
        if (succeeded) {
            Q_EMIT used(absolutePath(m_savesTo));
            if (elsewhere)
                Q_EMIT m_bench.fileWritten(tr("Saved session %1").arg(fileNameOf(m_savesTo)),
                                           absolutePath(m_savesTo));
            if (then)
                then();
        }
    });
    if (!bench.options.journals.empty())
        session.keepJournal(bench.options.journals);
    a.recover->setEnabled(false);
    a.reopen->setEnabled(false); // only a host knows closed tabs
}

void DocumentController::tellWhatIsWrong()
{
    if (!m_bench.options.journals.empty())
        m_leftWork = SessionJournal::leftBehind(m_bench.options.journals);
    m_bench.actions.recover->setEnabled(!m_leftWork.empty());
    QStringList times;
    for (const auto &journal : m_leftWork)
        times << tr("From %1").arg(
            QFileInfo(QString::fromStdString(journal.string())).lastModified().toString());
    if (!m_leftWork.empty())
        m_bench.tell(MessageModel::Severity::Warning,
                     tr("Unsaved work from a crash was found: choose File > Recover unsaved work "
                        "to open it"),
                     times.join('\n'));
    for (const MissingPart &part : m_bench.options.missing)
        m_bench.tell(MessageModel::Severity::Error,
                     tr("%1 %2").arg(fileNameOf(part.file), fromUtf8(part.problem)),
                     fromUtf8(part.file.string()));
}

void DocumentController::openFiles(const std::vector<std::filesystem::path> &files)
{
    if (host)
        host->open(files);
    else if (!files.empty())
        open(files.front());
}

std::filesystem::path DocumentController::file() const
{
    const Session &session = m_bench.session;
    return !m_requested.empty()      ? m_requested
           : !session.file().empty() ? session.file()
                                     : session.path();
}

bool DocumentController::isMade() const
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    return m_requested.empty() && m_bench.session.file().empty() && snapshot &&
           snapshot->plan->training && !m_bench.options.training;
}

void DocumentController::open(const std::filesystem::path &path)
{
    whenNoWorkIsLost([this, path] {
        m_requested = path;
        m_bench.session.open(path, m_bench.options.import, m_bench.options.training);
    });
}

void DocumentController::close()
{
    whenNoWorkIsLost([this] { m_bench.session.close(); });
}

void DocumentController::recover()
{
    if (m_leftWork.empty())
        return;
    if (host)
        if (DocumentController &place = host->emptyBench().documents; &place != this) {
            place.recover(); // it has the list now
            return;
        }
    const auto journal = m_leftWork.front();
    m_leftWork.erase(m_leftWork.begin());
    m_bench.actions.recover->setEnabled(!m_leftWork.empty());
    m_recovers = true;
    m_bench.session.recover(journal);
}

void DocumentController::takeLeftWork(DocumentController &other)
{
    m_leftWork = std::exchange(other.m_leftWork, {});
    m_bench.actions.recover->setEnabled(!m_leftWork.empty());
    other.m_bench.actions.recover->setEnabled(false);
}

void DocumentController::copyPath()
{
    QGuiApplication::clipboard()->setText(absolutePath(file()));
}

void DocumentController::showInFolder()
{
    const QString problem = showFolder(QFileInfo(absolutePath(file())).absolutePath());
    if (!problem.isEmpty())
        m_bench.warnNow(problem);
}

void DocumentController::save()
{
    if (m_bench.session.file().empty())
        Q_EMIT placeWanted(false);
    else
        saveTo(m_bench.session.file());
}

void DocumentController::saveTo(const std::filesystem::path &path, const SessionSaving &saving)
{
    if (m_bench.session.isSaving())
        return;
    m_savesTo = path;
    m_savesElsewhere = path != m_bench.session.file();
    m_bench.session.save(path, viewState(), saving);
}

QString DocumentController::title() const
{
    const Session &session = m_bench.session;
    if (!session.snapshot())
        return QStringLiteral("Graphloom");
    QString name = fileNameOf(session.file().empty() ? session.path() : session.file());
    if (session.file().empty() && session.snapshot()->plan->training)
        name = tr("Training graph of %1").arg(name);
    return tr("%1%2 — Graphloom")
        .arg(name, session.isModified() ? QStringLiteral(" •") : QString());
}

bool DocumentController::wouldLoseWork() const
{
    return m_bench.session.isModified() && !m_bench.options.journals.empty();
}

void DocumentController::whenNoWorkIsLost(const std::function<void()> &then)
{
    if (wouldLoseWork())
        Q_EMIT decisionWanted(then);
    else
        then();
}

void DocumentController::saveBefore(const std::function<void()> &then)
{
    m_afterSaving = [this, then] { whenNoWorkIsLost(then); };
    save();
}

void DocumentController::setInputShapes(ImportOptions options)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    m_bench.session.replacePlan(
        tr("Change input shapes"),
        [file = snapshot->plan->model->path,
         options = std::move(options)](const std::stop_token &stop) mutable -> Result<Plan> {
            options.stop = stop;
            GL_TRY_RESULT(model, importOnnx(file, options));
            return importPlan(std::make_shared<const Model>(*std::move(model)), stop);
        });
}

void DocumentController::exportTo(const std::filesystem::path &path, const ExportOptions &options)
{
    if (isHtmlFile(path)) {
        exportHtml(path);
        return;
    }
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    const DrawingPointer drawn = drawing();
    if (!snapshot || !drawn)
        return;
    write(path, [snapshot, drawn, path, options = options](const std::stop_token &stop) mutable {
        options.stop = stop;
        return exportFile(*snapshot->plan, *drawn, path, options);
    });
}

void DocumentController::exportHtml(const std::filesystem::path &path)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    if (isWriting()) {
        m_bench.warn(tr("Another export is still in progress"));
        return;
    }
    m_html.start({path, snapshot, m_bench.kernels.runOf(*snapshot->plan),
                  m_bench.verification.verificationOf(*snapshot->plan)});
}

void DocumentController::write(const std::filesystem::path &path,
                               std::function<Result<void>(std::stop_token)> write)
{
    if (isWriting()) {
        m_bench.warn(tr("Another export is still in progress"));
        return;
    }
    m_writer.announce(&m_bench.jobs, tr("Writing %1").arg(fileNameOf(path)));
    m_writer.start(std::move(write), [this, path](const Result<void> &written) {
        if (!written && m_writer.isStopped()) {
            m_bench.inform(tr("Export of %1 cancelled").arg(fileNameOf(path)));
            return;
        }
        if (!written) {
            const QString problem =
                tr("Cannot write %1: %2").arg(fileNameOf(path), fromUtf8(written.error().text()));
            m_bench.tell(MessageModel::Severity::Error, problem);
            Q_EMIT m_bench.fileNotWritten(problem);
            return;
        }
        m_bench.tell(MessageModel::Severity::Info, tr("Wrote %1").arg(fileNameOf(path)),
                     QString::fromStdString(path.string()));
        Q_EMIT m_bench.fileWritten(tr("Exported %1").arg(fileNameOf(path)), absolutePath(path));
        Q_EMIT exported();
    });
}

} // namespace graphloom
