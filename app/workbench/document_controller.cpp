// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/document_controller.h"

#include "app/common/format.h"
#include "app/export/export_jobs.h"
#include "app/workbench/workbench.h"

#include <QDateTime>
#include <QFileInfo>

#include <utility>

namespace graphloom {

namespace {

QString absolutePath(const std::filesystem::path &path)
{
    return QString::fromStdString(std::filesystem::absolute(path).string());
}

} // namespace

DocumentController::DocumentController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    Session &session = bench.session;
    connect(a.close, &QAction::triggered, this, &DocumentController::close);
    connect(a.save, &QAction::triggered, this, &DocumentController::save);
    connect(a.saveAs, &QAction::triggered, this, [this] { Q_EMIT placeWanted(false); });
    connect(a.saveEmbedded, &QAction::triggered, this, [this] { Q_EMIT placeWanted(true); });
    connect(a.recover, &QAction::triggered, this, &DocumentController::recover);
    connect(&session, &Session::openingFinished, this, [this](bool succeeded) {
        const std::filesystem::path &path = m_bench.session.path();
        if (succeeded && !path.empty())
            Q_EMIT used(absolutePath(path));
        else if (!m_requested.empty() && !QFileInfo::exists(absolutePath(m_requested)))
            Q_EMIT vanished(absolutePath(m_requested));
        m_requested.clear();
        Q_EMIT titleChanged();
    });
    connect(&session.undoStack(), &QUndoStack::cleanChanged, this,
            &DocumentController::titleChanged);
    connect(&session, &Session::saved, this, [this](bool succeeded) {
        Q_EMIT titleChanged();
        const auto then = std::exchange(m_afterSaving, {});
        if (succeeded) {
            Q_EMIT used(absolutePath(m_bench.session.file()));
            if (then)
                then();
        }
    });
    if (!bench.options.journals.empty())
        session.keepJournal(bench.options.journals);
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
    const auto journal = m_leftWork.front();
    m_leftWork.erase(m_leftWork.begin());
    m_bench.actions.recover->setEnabled(!m_leftWork.empty());
    m_bench.session.recover(journal);
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
    m_bench.session.save(path, viewState(), saving);
}

QString DocumentController::title() const
{
    const Session &session = m_bench.session;
    if (!session.snapshot())
        return QStringLiteral("Graphloom");
    const QString name = fileNameOf(session.file().empty() ? session.path() : session.file());
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

void DocumentController::exportTo(const std::filesystem::path &path)
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    const DrawingPointer drawn = drawing();
    if (!snapshot || !drawn)
        return;
    write(path, [snapshot, drawn, path](const std::stop_token &stop) {
        return exportFile(*snapshot->plan, *drawn, path, stop);
    });
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
            m_bench.tell(
                MessageModel::Severity::Error,
                tr("Cannot write %1: %2").arg(fileNameOf(path), fromUtf8(written.error().text())));
            return;
        }
        m_bench.tell(MessageModel::Severity::Info, tr("Wrote %1").arg(fileNameOf(path)),
                     QString::fromStdString(path.string()));
        Q_EMIT exported();
    });
}

} // namespace graphloom
