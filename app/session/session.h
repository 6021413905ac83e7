// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/session/run_list.h"
#include "app/snapshot/snapshot.h"
#include "app/status/message_model.h"
#include "engine/ir/training_options.h"
#include "engine/onnx/import.h"
#include "engine/pass/pass.h"
#include "engine/session/session_file.h"

#include <QObject>
#include <QTimer>
#include <QUndoStack>

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

namespace graphloom {

/// The open model and the work on it: opening, running passes, undo. All work is done by
/// threads; what is shown changes only through snapshotChanged().
class Session final : public QObject {
    Q_OBJECT

public:
    /// Why there is another state of the plan to show.
    enum class Change {
        Opened,  // another model
        Planned, // made by a pass, undone or redone
        Edited,  // changed by hand, undone or redone
        Live,    // a snapshot of a pass at work
    };
    Q_ENUM(Change)

    explicit Session(QObject *parent = nullptr);

    const SnapshotPointer &snapshot() const { return m_snapshot; }
    QUndoStack &undoStack() { return m_undo; }
    MessageModel &messages() { return m_messages; }
    const std::filesystem::path &path() const { return m_path; }
    /// Where work is listed; null: nowhere.
    void setJobs(JobList *jobs)
    {
        m_jobs = jobs;
        m_runs.setJobs(jobs);
    }
    /// For passes that time calls on a target.
    void setTimers(CallTimers timers) { m_runs.setTimers(std::move(timers)); }

    /// Opens an ONNX or DOT file, or a session, in place of what is open; that stays when it fails.
    /// With `training` a model is replaced by a step of its training.
    void open(const std::filesystem::path &path, const ImportOptions &options = {},
              const std::optional<TrainingOptions> &training = {});
    /// Shows a plan that was made here, as if it had been opened.
    void show(std::shared_ptr<const Plan> plan);
    void close();

    /// Passes by their names, for runs of sessions that are opened.
    void setPasses(std::vector<std::shared_ptr<const Pass>> passes)
    {
        m_passes = std::move(passes);
    }
    /// The file of the session; empty: it was not saved yet.
    const std::filesystem::path &file() const { return m_file; }
    /// Writes all of it, on a thread; `view` is the window's own part.
    void save(const std::filesystem::path &file, std::map<std::string, std::string> view,
              const SessionSaving &saving);
    bool isSaving() const { return m_saver.isRunning(); }
    /// Is there something that no file has?
    bool isModified() const;
    /// The window's part of the session that was opened last.
    const std::map<std::string, std::string> &savedView() const { return m_savedView; }

    /// Keeps the session in a journal of this folder from its first change on.
    void keepJournal(const std::filesystem::path &folder);
    /// Opens what a program that did not end well left behind.
    void recover(const std::filesystem::path &journal);
    /// The work is not needed any more: its journal goes.
    void discardJournal();
    bool isOpening() const { return m_opener.isRunning(); }

    /// Runs a pass on the plan. Views follow it, and its result is an entry of the undo stack; not
    /// while another one is followed, or something else is at work.
    void run(RunRequest request);
    /// Runs it beside: its result waits in the list of runs until it is taken.
    void runBeside(RunRequest request);
    /// The search that made the plan goes on where it ended, in place of the plan. Requires
    /// canGoOn().
    void goOn(RunRequest request);
    /// Takes another plan of that search: the best of what it found within the request's limits.
    void takeAnother(RunRequest request);
    /// The pass changes a fission of the plan that it made by hand, and costs the plan anew. The
    /// request is as for goOn(); `text` names the edit in the undo stack.
    void editFission(RunRequest request, const Context::FissionEdit &edit, const QString &text);
    /// Was the plan made by a pass of this name whose search can go on?
    bool canGoOn(std::string_view pass) const;
    /// All runs of passes on this model.
    RunList &runs() { return m_runs; }
    /// Holds the run that is followed, or lets it go on.
    void hold(bool held);
    bool isHeld() const;
    /// Makes what a run has found, or has published last, the plan. One that is followed ends.
    void take(int number);
    /// Nobody follows the run any more; the plan from before is shown.
    void leave(int number);
    /// Changes the plan by hand, on a thread: an entry of the undo stack.
    /// Not while something else is opened, run or taken over.
    void edit(const QString &text, std::function<Plan(Plan)> change);
    bool isEditing() const { return m_editor.isRunning() || m_taker.isRunning(); }
    /// Opening, running or editing.
    bool isBusy() const { return isOpening() || isRunning() || isEditing(); }
    /// Stops opening, or the pass: the best plan so far is kept.
    void cancel();
    /// Is a run followed?
    bool isRunning() const { return m_runs.followed() != nullptr; }
    /// The plan from before the last pass or edit, which undo leads to; null when there is none.
    SnapshotPointer previous() const;

Q_SIGNALS:
    /// Null when the model was closed.
    void snapshotChanged(const graphloom::SnapshotPointer &snapshot,
                         graphloom::Session::Change change);
    void openingStarted(const QString &name);
    /// After snapshotChanged() when it succeeded.
    void openingFinished(bool succeeded);
    /// Of an opening or a pass; it is in messages() too.
    void failed(const graphloom::Error &error);
    void passStarted(const QString &pass);
    void passProgress(double fraction, const QString &what);
    void passFinished(bool succeeded);
    void editingStarted();
    void editingFinished();
    /// `succeeded`: it is in the file now.
    void saved(bool succeeded);

private:
    class PlanCommand;
    void adopt(SnapshotPointer snapshot, const std::filesystem::path &path);
    void display(const SnapshotPointer &snapshot, Change change);
    void replaceAll(const SnapshotPointer &snapshot);
    void preview(std::shared_ptr<const Plan> plan);
    void endPreviews();
    void abandonWork();
    void report(const Error &error, const QString &what);
    void resume(RunRequest request, bool only);
    void startFollowed(RunRequest request, const SnapshotPointer &before);
    void showPublished(int number);
    void finishRun(int number);
    void adopt(const PassRun &run, const SnapshotPointer &snapshot);
    /// Snapshots of a session that was read, and what else is in it.
    struct Opened {
        SessionContent content;                       // without states: it is a model
        std::vector<SnapshotPointer> snapshots, runs; // by state; of the results of runs
    };
    static Result<Opened> load(const std::filesystem::path &path, ImportOptions options,
                               const std::optional<TrainingOptions> &training,
                               std::stop_token stop);
    static Result<Opened> loadOpened(Result<SessionContent> content, std::stop_token stop);
    void startOpening(const QString &name, std::function<Result<Opened>(std::stop_token stop)> load,
                      std::function<void(Opened)> done);
    void showSession(Opened opened, const QString &name);
    void adopt(Opened opened);
    void forgetJournals();
    SessionContent content(std::map<std::string, std::string> view) const;
    void noteChange();
    void writeJournal();
    /// The plan from before the pass that made the one that is shown; null when there is none.
    SnapshotPointer planBefore() const;

    JobList *m_jobs = nullptr;
    std::filesystem::path m_path, m_file;
    std::vector<std::shared_ptr<const Pass>> m_passes;
    std::map<std::string, std::string> m_savedView;
    std::filesystem::path m_journals; // folder; empty: none are kept
    /// A journal, which threads write and end.
    struct JournalKeeper {
        std::mutex mutex;
        std::unique_ptr<SessionJournal> journal; // null until something was written
        bool ended = false;
    };
    std::shared_ptr<JournalKeeper> m_journal = std::make_shared<JournalKeeper>();
    std::filesystem::path m_recovered; // a journal that goes as soon as ours has what it had
    QTimer m_journalPatience;
    bool m_journalFailed = false; // and somebody was told
    bool m_runsUnsaved = false;   // one has ended since the session was saved
    bool m_restoring = false;     // commands are pushed that were carried out long ago
    SnapshotPointer m_snapshot;
    QUndoStack m_undo;
    MessageModel m_messages;
    std::shared_ptr<const Plan> m_nextPreview;
    SnapshotPointer m_live; // the last preview of the run that is followed
    // Last: their threads end before what they report to is gone.
    RunList m_runs;
    Worker m_opener, m_previewer, m_editor, m_taker, m_saver, m_journalist, m_releaser;
};

} // namespace graphloom
