// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/results/plan_run.h"
#include "app/results/plan_verification.h"
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

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

namespace graphloom {

/// Holds the open model and the work on it: opening, running passes, undo. Threads do all the work;
/// the state that is shown changes only with snapshotChanged().
class Session final : public QObject {
    Q_OBJECT

public:
    /// Tells why there is another state of the plan to show.
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
    /// Sets the list that shows the work; null for none.
    void setJobs(JobList *jobs)
    {
        m_jobs = jobs;
        m_runs.setJobs(jobs);
    }
    /// Sets the timers for passes that time calls on a target.
    void setTimers(CallTimers timers) { m_runs.setTimers(std::move(timers)); }

    /// Opens an ONNX or DOT file, or a session, in place of what is open, which stays open on
    /// failure. With `training` the model is replaced by a step of its training.
    void open(const std::filesystem::path &path, const ImportOptions &options = {},
              const std::optional<TrainingOptions> &training = {});
    /// Shows a plan that was made by the program, as if it had been opened.
    void show(std::shared_ptr<const Plan> plan);
    void close();

    /// Sets the passes that runs of an opened session refer to by name.
    void setPasses(std::vector<std::shared_ptr<const Pass>> passes)
    {
        m_passes = std::move(passes);
    }
    /// Returns the file of the session, or an empty path if it was never saved.
    const std::filesystem::path &file() const { return m_file; }
    /// Writes the whole session on a thread; `view` is the window's own part.
    void save(const std::filesystem::path &file, std::map<std::string, std::string> view,
              const SessionSaving &saving);
    bool isSaving() const { return m_saver.isRunning(); }
    /// Tells whether there are changes that no file has.
    bool isModified() const;
    /// Holds what was measured on this model.
    struct Measured {
        std::vector<PlanRunPointer> runs;           // the newest last
        std::shared_ptr<const TuningTrials> trials; // of the last tuning; null: none
        bool operator==(const Measured &) const = default;
    };
    const Measured &measured() const { return m_measured; }
    /// Sets what was measured, which is part of the session.
    void setMeasured(Measured measured);
    /// Returns the verifications of plans of this model, the newest last.
    const std::vector<VerificationPointer> &verifications() const { return m_verifications; }
    /// Sets the verifications, which are part of the session.
    void setVerifications(std::vector<VerificationPointer> verifications);
    /// Returns the window's part of the session that was opened last.
    const std::map<std::string, std::string> &savedView() const { return m_savedView; }

    /// Keeps a journal of the session in this folder, from its first change on.
    void keepJournal(const std::filesystem::path &folder);
    /// Opens the journal that a crashed program left.
    void recover(const std::filesystem::path &journal);
    /// Removes the journal, because the work is not needed any more.
    void discardJournal();
    bool isOpening() const { return m_opener.isRunning(); }

    /// Runs a pass on the plan. Views follow it, and its result is an entry of the undo stack. Does
    /// nothing while another run is followed or other work is going on.
    void run(RunRequest request);
    /// Runs a pass in the background: its result stays in the list of runs until it is taken.
    void runBeside(RunRequest request);
    /// Continues the search that made the plan, in place of the plan. Requires canGoOn().
    void goOn(RunRequest request);
    /// Takes another plan of that search: the best one that it found within the request's limits.
    void takeAnother(RunRequest request);
    /// Lets the pass that made the plan change one of its fissions as edited by hand, and compute
    /// the costs again. The request is as for goOn(); `text` names the edit in the undo stack.
    void editFission(RunRequest request, const Context::FissionEdit &edit, const QString &text);
    /// Tells whether the plan was made by a pass of this name whose search can continue.
    bool canGoOn(std::string_view pass) const;
    /// Returns all runs of passes on this model.
    RunList &runs() { return m_runs; }
    const RunList &runs() const { return m_runs; }
    /// Pauses or continues the run that is followed.
    void hold(bool held);
    bool isHeld() const;
    /// Makes the plan that a run has found or published last the current one. A run at work is
    /// stopped, and its result is taken when its pass has realized it.
    void take(int number);
    /// Stops following the run and shows the plan from before it.
    void leave(int number);
    /// Changes the plan by hand, on a thread, as an entry of the undo stack. Does nothing while the
    /// session is opening, running or taking over something else.
    void edit(const QString &text, std::function<Plan(Plan)> change);
    /// Does the same for a change that takes a while, can be stopped, and may fail: its error is a
    /// message.
    void tryEdit(const QString &text,
                 std::function<Result<Plan>(Plan, const std::stop_token &)> change);
    /// Replaces the plan by one that `make` makes from scratch, such as that of the model with
    /// other shapes, as an entry of the undo stack. Its error is a message. Does nothing while
    /// edit() would not.
    void replacePlan(const QString &text,
                     std::function<Result<Plan>(const std::stop_token &)> make);
    bool isEditing() const { return m_editor.isRunning() || m_taker.isRunning(); }
    /// Tells whether the session is opening, running or editing.
    bool isBusy() const { return isOpening() || isRunning() || isEditing(); }
    /// Stops opening, or the pass, whose best plan so far is kept.
    void cancel();
    /// Tells whether a run is followed.
    bool isRunning() const { return m_runs.followed() != nullptr; }
    /// Holds a state of the plan that undo and redo lead to, and the text of what led to it.
    struct State {
        SnapshotPointer snapshot;
        QString text;
    };
    /// Returns all states, from the one that was opened on; none without a model. The one that is
    /// shown has the number undoStack().index().
    std::vector<State> states() const;
    /// Goes to a state at once, without showing those between. Does nothing while isBusy().
    void goTo(int state);
    /// Returns the plan from before the last pass or edit, which undo restores, or null if there is
    /// none.
    SnapshotPointer previous() const;

Q_SIGNALS:
    /// Emitted when another state is to be shown; `snapshot` is null if the model was closed.
    void snapshotChanged(const graphloom::SnapshotPointer &snapshot,
                         graphloom::Session::Change change);
    void openingStarted(const QString &name);
    /// Emitted when opening has ended; after snapshotChanged() if it succeeded.
    void openingFinished(bool succeeded);
    /// Emitted when opening or a pass has failed; the error is in messages() too.
    void failed(const graphloom::Error &error);
    void passStarted(const QString &pass);
    void passProgress(double fraction, const QString &what);
    void passFinished(bool succeeded);
    void editingStarted();
    void editingFinished();
    /// Emitted when there is work that no file has, besides that of the undo stack.
    void modified();
    /// Emitted when saving has ended; `succeeded` if the session is in the file now.
    void saved(bool succeeded);

private:
    class PlanCommand;
    void adopt(SnapshotPointer snapshot, const std::filesystem::path &path);
    void display(const SnapshotPointer &snapshot, Change change);
    void replaceAll(const SnapshotPointer &snapshot, Measured measured = {},
                    std::vector<VerificationPointer> verifications = {});
    void preview(std::shared_ptr<const Plan> plan);
    void endPreviews();
    void replaceBy(const QString &text, Change change,
                   std::function<Result<SnapshotPointer>(const std::stop_token &)> make);
    void abandonWork();
    void report(const Error &error, const QString &what);
    void resume(RunRequest request, bool only);
    void startFollowed(RunRequest request, const SnapshotPointer &before);
    void showPublished(int number);
    void finishRun(int number);
    void adopt(const PassRun &run, const SnapshotPointer &snapshot);
    void takeWhenStopped(const PassRun &run);
    bool realizeLatest(const PassRun &run);
    void takeNow(const PassRun &run);
    void noteTaken(const PassRun &run);
    /// Holds the snapshots of a session that was read, and its other content.
    struct Opened {
        SessionContent content;                       // has no states if a model was read
        std::vector<SnapshotPointer> snapshots, runs; // by state; of the results of runs
        Measured measured;
        std::vector<VerificationPointer> verifications;
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
    void noteUnsaved();
    void writeJournal();
    /// Returns the plan from before the pass that made the one that is shown, or null if there is
    /// none.
    SnapshotPointer planBefore() const;

    JobList *m_jobs = nullptr;
    std::filesystem::path m_path, m_file;
    std::vector<std::shared_ptr<const Pass>> m_passes;
    std::map<std::string, std::string> m_savedView;
    std::filesystem::path m_journals; // folder; empty if no journals are kept
    /// Holds a journal that threads write and end.
    struct JournalKeeper {
        std::mutex mutex;
        std::unique_ptr<SessionJournal> journal; // null until something is written
        bool ended = false;
    };
    std::shared_ptr<JournalKeeper> m_journal = std::make_shared<JournalKeeper>();
    std::filesystem::path m_recovered; // journal to remove once ours has its content
    QTimer m_journalPatience;
    bool m_journalFailed = false; // the failure was reported
    int m_taken = 0;              // number of the run whose result is awaited; 0: none
    // Count what is not on the undo stack (ended runs, measurements, verifications), and what of it
    // a file has.
    std::uint64_t m_changes = 0, m_savedChanges = 0;
    std::uint64_t m_models = 0; // counts opened models
    bool m_restoring = false;   // pushes commands that were carried out before
    SnapshotPointer m_snapshot;
    Measured m_measured;
    std::vector<VerificationPointer> m_verifications;
    QUndoStack m_undo;
    MessageModel m_messages;
    std::shared_ptr<const Plan> m_nextPreview;
    SnapshotPointer m_live; // the last preview of the run that is followed
    // Last: their threads end before the objects they report to are destroyed.
    RunList m_runs;
    Worker m_opener, m_previewer, m_editor, m_taker, m_saver, m_journalist, m_releaser;
};

} // namespace graphloom
