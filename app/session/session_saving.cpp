// SPDX-License-Identifier: GPL-3.0-or-later
// Saving of sessions, and the journal for recovery after a crash.
#include "app/session/session.h"

#include "app/common/format.h"
#include "app/session/plan_command.h"

namespace graphloom {

namespace {

SessionRun sessionRunOf(const PassRun &run)
{
    SessionRun kept;
    kept.number = run.number;
    kept.pass = run.pass;
    kept.settings = run.request.settings.values();
    kept.objective = run.request.objective;
    kept.seed = run.request.seed;
    kept.threads = run.request.threads;
    kept.beganMs = run.began.toMSecsSinceEpoch();
    kept.seconds = run.seconds;
    kept.stopped = run.state == PassRun::State::Stopped;
    if (run.error)
        kept.problem = run.error->text();
    kept.search = run.search;
    kept.before = run.before->plan;
    kept.result = run.latest;
    return kept;
}

} // namespace

SessionContent Session::content(std::map<std::string, std::string> view) const
{
    SessionContent content;
    content.view = std::move(view);
    content.view.insert_or_assign("model", m_path.string());
    SnapshotPointer first = m_snapshot;
    if (m_undo.count() > 0)
        first = static_cast<const PlanCommand &>(*m_undo.command(0)).before();
    content.states.push_back({first->plan, {}, false});
    for (int i = 0; i < m_undo.count(); ++i) {
        const auto &command = static_cast<const PlanCommand &>(*m_undo.command(i));
        content.states.push_back({command.after()->plan, command.text().toStdString(),
                                  command.change() == Change::Edited});
    }
    content.current = std::size_t(m_undo.index());
    for (const PassRun *run : m_runs.runs())
        if (!run->isActive())
            content.runs.push_back(sessionRunOf(*run));
    content.measurements.assign(m_measured.runs.begin(), m_measured.runs.end());
    content.trials = m_measured.trials;
    content.verifications.assign(m_verifications.begin(), m_verifications.end());
    return content;
}

void Session::save(const std::filesystem::path &file, std::map<std::string, std::string> view,
                   const SessionSaving &saving)
{
    if (!m_snapshot || isSaving())
        return;
    m_saver.announceUnstoppable(m_jobs, tr("Saving %1").arg(fileNameOf(file)));
    m_saver.start(
        [file, saving, content = content(std::move(view))](std::stop_token) {
            return saveSession(file, content, saving);
        },
        [this, file, shown = m_snapshot, changes = m_changes,
         models = m_models](const Result<void> &written) {
            if (!written)
                report(written.error(),
                       tr("Cannot save %1: %2").arg(fileNameOf(file), QStringLiteral("%1")));
            else
                m_messages.add(MessageModel::Severity::Info, tr("Saved %1").arg(fileNameOf(file)),
                               QString::fromStdString(file.string()));
            if (written && models == m_models) { // the file is that of the model that is open
                m_file = file;
                m_savedChanges = changes; // further ones may have come while it was written
                if (shown == m_snapshot)
                    m_undo.setClean();
                if (!isModified())
                    forgetJournals(); // the file contains everything
            }
            Q_EMIT saved(written.has_value());
        });
}

bool Session::isModified() const
{
    return m_snapshot && (!m_undo.isClean() || m_changes != m_savedChanges);
}

void Session::keepJournal(const std::filesystem::path &folder)
{
    m_journals = folder;
}

/// An unchanged model needs no journal.
void Session::noteChange()
{
    if (!m_journals.empty() && !m_restoring && m_snapshot &&
        (m_undo.count() > 0 || m_changes != m_savedChanges))
        m_journalPatience.start();
}

/// Notes work that is not on the undo stack.
void Session::noteUnsaved()
{
    ++m_changes;
    noteChange();
    Q_EMIT modified();
}

void Session::setMeasured(Measured measured)
{
    if (!m_snapshot || measured == m_measured)
        return;
    m_measured = std::move(measured);
    noteUnsaved();
}

void Session::setVerifications(std::vector<VerificationPointer> verifications)
{
    if (!m_snapshot || verifications == m_verifications)
        return;
    m_verifications = std::move(verifications);
    noteUnsaved();
}

/// Writes the newest state; a later one waits until that is written.
void Session::writeJournal()
{
    if (m_journals.empty() || !m_snapshot)
        return;
    if (m_journalist.isRunning()) {
        m_journalPatience.start();
        return;
    }
    m_journalist.announceUnstoppable(m_jobs, tr("Backing up unsaved work"));
    m_journalist.start(
        [folder = m_journals, keeper = m_journal,
         content = content(m_savedView)](std::stop_token) -> Result<void> {
            const std::lock_guard lock(keeper->mutex);
            if (keeper->ended)
                return {};
            if (!keeper->journal) {
                GL_TRY_RESULT(begun, SessionJournal::begin(folder));
                keeper->journal = *std::move(begun);
            }
            auto written = keeper->journal->write(content);
            if (!written) { // the journal is incomplete
                keeper->journal->discard();
                keeper->journal.reset();
            }
            return written;
        },
        [this](const Result<void> &written) {
            if (written) {
                m_journalFailed = false;
                if (!m_recovered.empty())
                    SessionJournal::forget(std::exchange(m_recovered, {}));
            } else if (!std::exchange(m_journalFailed, true)) {
                m_messages.add(
                    MessageModel::Severity::Warning,
                    tr("Cannot back up unsaved work: %1").arg(fromUtf8(written.error().text())),
                    tr("Nothing is lost: save the session to a disk with free space."));
            }
        });
}

void Session::forgetJournals()
{
    if (!m_recovered.empty())
        SessionJournal::forget(std::exchange(m_recovered, {}));
    discardJournal();
}

void Session::discardJournal()
{
    m_journalPatience.stop();
    m_journalist.abandon();
    m_releaser.start(
        [keeper = std::exchange(m_journal, std::make_shared<JournalKeeper>())](std::stop_token) {
            const std::lock_guard lock(keeper->mutex);
            keeper->ended = true;
            if (keeper->journal)
                keeper->journal->discard();
            return true;
        },
        [](bool) {});
}

} // namespace graphloom
