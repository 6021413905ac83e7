// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/models/message_model.h"
#include "app/models/snapshot.h"
#include "app/window/worker.h"
#include "engine/onnx/import.h"
#include "engine/plan/pass.h"

#include <QObject>
#include <QUndoStack>

#include <filesystem>
#include <functional>
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
    /// For passes that time calls on a target.
    void setTimers(CallTimers timers) { m_timers = std::move(timers); }

    /// Opens an ONNX or DOT file in place of what is open; that stays when it fails.
    void open(const std::filesystem::path &path, const ImportOptions &options = {});
    /// Shows a plan that was made here, as if it had been opened.
    void show(std::shared_ptr<const Plan> plan);
    void close();
    bool isOpening() const { return m_opener.isRunning(); }

    /// Runs a pass on the plan; its result is an entry of the undo stack.
    void run(std::shared_ptr<const Pass> pass, const Settings &settings, std::uint64_t seed = 0);
    /// Changes the plan by hand, on a thread: an entry of the undo stack.
    /// Not while something else is opened, run or taken over.
    void edit(const QString &text, std::function<Plan(Plan)> change);
    bool isEditing() const { return m_editor.isRunning(); }
    /// Opening, running or editing.
    bool isBusy() const { return isOpening() || isRunning() || isEditing(); }
    /// Stops opening, or the pass: the best plan so far is kept.
    void cancel();
    bool isRunning() const { return m_runner.isRunning(); }

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

private:
    class PlanCommand;
    struct PassResult {
        Result<Plan> plan;
        SnapshotPointer snapshot;                      // null when stopped or failed
        std::optional<Error> noProfile = std::nullopt; // why measured latencies were not used
    };

    void adopt(SnapshotPointer snapshot, const std::filesystem::path &path);
    void display(const SnapshotPointer &snapshot, Change change);
    void replaceAll(const SnapshotPointer &snapshot);
    void preview(std::shared_ptr<const Plan> plan);
    void endPreviews();
    void abandonWork();
    void report(const Error &error, const QString &what);
    void finishPass(const QString &name, PassResult result, bool cancelled);

    std::filesystem::path m_path;
    CallTimers m_timers = Context().timers;
    SnapshotPointer m_snapshot;
    QUndoStack m_undo;
    MessageModel m_messages;
    std::shared_ptr<const Plan> m_nextPreview;
    // Last: their threads end before what they report to is gone.
    Worker m_opener, m_runner, m_previewer, m_editor, m_releaser;
};

} // namespace graphloom
