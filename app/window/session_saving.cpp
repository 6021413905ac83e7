// SPDX-License-Identifier: GPL-3.0-or-later
// How a session gets to the disk and back: files, and the journal against crashes.
#include "app/window/session.h"

#include "app/models/format.h"
#include "app/window/plan_command.h"

#include <QStandardPaths>

namespace graphloom {

namespace {

/// Where models that are in session files themselves are put.
std::filesystem::path extractedFolder()
{
    return (QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
            QStringLiteral("/graphloom/models"))
        .toStdString();
}

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

PassRun passRunOf(SessionRun kept, const std::vector<std::shared_ptr<const Pass>> &passes)
{
    PassRun run;
    run.number = kept.number;
    run.pass = kept.pass;
    run.began = QDateTime::fromMSecsSinceEpoch(kept.beganMs);
    run.seconds = kept.seconds;
    run.fraction = 1;
    run.state = !kept.problem.empty() ? PassRun::State::Failed
                : kept.stopped        ? PassRun::State::Stopped
                                      : PassRun::State::Done;
    if (!kept.problem.empty())
        run.error = Error{Error::Kind::Fault, kept.problem, {}, std::source_location::current()};
    run.search = kept.search;
    run.latest = kept.result;
    run.request.objective = kept.objective;
    run.request.seed = kept.seed;
    run.request.threads = kept.threads;
    for (const auto &pass : passes)
        if (pass->name() == kept.pass) {
            run.request.pass = pass;
            run.request.settings = Settings(pass->parameters(), pass->rules());
            for (const auto &[name, value] : kept.settings)
                // What this version of the pass does not know any more is left out.
                static_cast<void>(run.request.settings.set(name, value));
        }
    return run;
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
        [this, file, index = m_undo.index()](const Result<void> &written) {
            if (!written) {
                report(written.error(),
                       tr("Cannot save %1: %2").arg(fileNameOf(file), QStringLiteral("%1")));
            } else {
                m_file = file;
                if (index == m_undo.index())
                    m_undo.setClean();
                m_messages.add(MessageModel::Severity::Info, tr("Saved %1").arg(fileNameOf(file)),
                               QString::fromStdString(file.string()));
            }
            Q_EMIT saved(written.has_value());
        });
}

Result<Session::Opened> Session::loadOpened(Result<SessionContent> content, std::stop_token stop)
try {
    if (!content)
        return tl::unexpected(content.error());
    Opened opened;
    SnapshotPointer before;
    for (const SessionState &state : content->states) {
        before = snapshotOf(state.plan, before, stop);
        if (!before)
            return Opened(); // stopped
        opened.snapshots.push_back(before);
    }
    for (const SessionRun &run : content->runs) {
        opened.runs.push_back(run.before ? snapshotOf(run.before, opened.snapshots.front(), stop)
                                         : nullptr);
        if (run.before && !opened.runs.back())
            return Opened();
    }
    opened.content = *std::move(content);
    return opened;
} catch (const std::exception &exception) {
    return fail(Error::Kind::Fault, exception.what());
}

void Session::openSession(const std::filesystem::path &file, const std::filesystem::path &journal)
{
    const QString name = journal.empty() ? fileNameOf(file) : tr("unsaved work");
    m_opener.announce(m_jobs, tr("Opening %1").arg(name));
    m_opener.start(
        [file, journal](std::stop_token stop) {
            return loadOpened(journal.empty() ? loadSession(file, extractedFolder())
                                              : SessionJournal::recover(journal),
                              stop);
        },
        [this, file, journal, name](Result<Opened> opened) {
            if (opened && opened->snapshots.empty()) {
                m_messages.add(MessageModel::Severity::Info,
                               tr("Opening %1 was cancelled").arg(name));
                Q_EMIT openingFinished(false);
                return;
            }
            if (!opened) {
                report(opened.error(), tr("Cannot open %1: %2").arg(name, QStringLiteral("%1")));
                Q_EMIT openingFinished(false);
                return;
            }
            adopt(*std::move(opened));
            m_file = file;
            m_messages.add(MessageModel::Severity::Info, tr("Opened %1: %2 plans, %3 runs")
                                                             .arg(name)
                                                             .arg(m_undo.count() + 1)
                                                             .arg(m_runs.runs().size()));
            if (journal.empty()) {
                m_undo.setClean();
            } else {
                m_undo.resetClean(); // no file has it
                m_recovered = journal;
                writeJournal();
            }
            Q_EMIT openingFinished(true);
        });
    Q_EMIT openingStarted(name);
}

void Session::recover(const std::filesystem::path &journal)
{
    openSession({}, journal);
}

void Session::adopt(Opened opened)
{
    abandonWork();
    const auto model = opened.content.view.find("model");
    m_path.clear();
    if (model != opened.content.view.end())
        m_path = model->second;
    m_savedView = opened.content.view;
    const std::size_t current = opened.content.current;
    replaceAll(opened.snapshots[current]);
    m_restoring = true;
    for (std::size_t i = 1; i < opened.snapshots.size(); ++i)
        m_undo.push(
            new PlanCommand(*this, fromUtf8(opened.content.states[i].text), opened.snapshots[i - 1],
                            opened.snapshots[i],
                            opened.content.states[i].byHand ? Change::Edited : Change::Planned));
    m_undo.setIndex(int(current));
    m_restoring = false;
    std::vector<PassRun> runs;
    for (std::size_t i = 0; i < opened.content.runs.size(); ++i) {
        runs.push_back(passRunOf(opened.content.runs[i], m_passes));
        runs.back().before = opened.runs[i];
    }
    m_runs.restore(std::move(runs));
}

void Session::keepJournal(const std::filesystem::path &folder)
{
    m_journals = folder;
}

/// A model as it was opened needs no journal: its file has it.
void Session::noteChange()
{
    if (!m_journals.empty() && !m_restoring && m_snapshot && m_undo.count() > 0)
        m_journalPatience.start();
}

/// The newest state is written; while one is, the next one waits.
void Session::writeJournal()
{
    if (m_journals.empty() || !m_snapshot)
        return;
    if (m_journalist.isRunning()) {
        m_journalPatience.start();
        return;
    }
    m_journalist.announceUnstoppable(m_jobs, tr("Keeping unsaved work safe"));
    m_journalist.start(
        [folder = m_journals, keeper = m_journal,
         content = content(m_savedView)](std::stop_token) -> Result<void> {
            const std::lock_guard lock(keeper->mutex);
            if (keeper->ended)
                return {};
            if (!keeper->journal) {
                auto begun = SessionJournal::begin(folder);
                if (!begun)
                    return tl::unexpected(begun.error());
                keeper->journal = *std::move(begun);
            }
            auto written = keeper->journal->write(content);
            if (!written) { // it lacks the newest, and cannot get it
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
                m_messages.add(MessageModel::Severity::Warning,
                               tr("Unsaved work cannot be kept safe: %1")
                                   .arg(fromUtf8(written.error().text())),
                               tr("All of it is still here; save it where there is room."));
            }
        });
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
