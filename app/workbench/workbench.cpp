// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/workbench.h"

#include "app/common/format.h"
#include "app/run/call_timers.h"
#include "app/tabs/document_host.h"

#include <QMainWindow>

namespace graphloom {

namespace {

std::unique_ptr<QSettings> settingsOf(const MainWindowOptions &options)
{
    return options.settingsFile.isEmpty()
               ? std::make_unique<QSettings>()
               : std::make_unique<QSettings>(options.settingsFile, QSettings::IniFormat);
}

} // namespace

Workbench::Workbench(MainWindowOptions given, QMainWindow &window)
    : options(std::move(given)), settings(settingsOf(options)), actions(window),
      edits(window, session, selection, navigator,
            [this](const Item &item) { return placeOf(item); }),
      fissionEdits(window, session)
{
    session.setTimers(
        callTimers([targets = options.targets] { return targets; }, 0, options.profile,
                   [messages = &session.messages()](const std::string &text) {
                       // Called from the thread of a pass.
                       QMetaObject::invokeMethod(messages, [messages, text = fromUtf8(text)] {
                           messages->add(MessageModel::Severity::Warning, text);
                       });
                   }));
    session.runs().setProfile(options.profile);
    session.setJobs(&jobs);
    drawings.setJobs(&jobs);
    sides.setJobs(&jobs);
    timelines.setJobs(&jobs);
    std::vector<std::shared_ptr<const Pass>> known;
    for (const PassPlugin &plugin : options.plugins)
        if (plugin.pass)
            known.push_back(plugin.pass);
    session.setPasses(std::move(known));
    connectSession();
    connectActions();
}

Workbench::~Workbench()
{
    // Clearing the stack during destruction must not signal destroyed receivers.
    session.undoStack().disconnect(this);
}

void Workbench::tell(MessageModel::Severity severity, const QString &text, const QString &details)
{
    session.messages().add(severity, text, details);
}

void Workbench::warnNow(const QString &text)
{
    warn(text);
    Q_EMIT noticed(text);
}

void Workbench::connectSession()
{
    connect(&session, &Session::snapshotChanged, this, &Workbench::show);
    for (const auto signal : {&Session::editingStarted, &Session::editingFinished})
        connect(&session, signal, this, &Workbench::updateActions);
    connect(&session, &Session::openingStarted, this, &Workbench::updateActions);
    connect(&session, &Session::openingFinished, this, [this] {
        updateActions();
        Q_EMIT settled();
    });
    connect(&session.messages(), &MessageModel::added, this,
            [this](MessageModel::Severity severity) {
                if (severity == MessageModel::Severity::Error)
                    Q_EMIT panelWanted(QStringLiteral("messages"));
            });
    connect(&session.undoStack(), &QUndoStack::indexChanged, this, &Workbench::updateActions);
    for (const Side side : bothSides)
        connect(&sides.selection(side), &Selection::changed, this, &Workbench::updateActions);
    connect(&navigator, &Navigator::shownChanged, this, &Workbench::showGraph);
    connect(&navigator, &Navigator::left, this, [this](const QString &title) {
        const QString text = tr("This plan has no graph %1: showing its parent graph").arg(title);
        inform(text);
        Q_EMIT noticed(text);
    });
    connect(&drawings, &DrawingController::failed, this, [this](const QString &reason) {
        warn(tr("Using the layered layout: %1").arg(reason));
        Q_EMIT panelWanted(QStringLiteral("messages"));
    });
    connect(&drawings, &DrawingController::cancelled, this, [this] {
        warn(tr("Layout cancelled: the drawing may be outdated. Any change of the view computes it "
                "again"));
    });
    connect(&drawings, &DrawingController::optionsChanged, this, &Workbench::updateActions);
    connect(&timelines, &TimelineMaker::cancelled, this, [this] {
        warn(tr("Memory timeline cancelled: it is computed again when the plan changes"));
    });
    connect(&edits, &EditActions::refused, this, &Workbench::refused);
    connect(&deviceJobs.queue(), &DeviceQueue::changed, this, &Workbench::updateActions);
    connect(&deviceJobs.queue(), &DeviceQueue::measured, &kernels, &KernelController::keep);
    connect(&fissionEdits, &FissionActions::refused, this, &Workbench::refused);
}

void Workbench::connectActions()
{
    const auto on = [this](QAction *action, auto slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    on(actions.undo, [this] { session.undoStack().undo(); });
    on(actions.redo, [this] { session.undoStack().redo(); });
    on(actions.clearSelection, [this] {
        for (const Side side : bothSides)
            sides.selection(side).clear();
    });
    on(actions.cancel, &Workbench::cancelWork);
    connect(actions.goUp, &QAction::triggered, &navigator, &Navigator::goUp);
    connect(actions.goBack, &QAction::triggered, &navigator, &Navigator::goBack);
    connect(actions.goForward, &QAction::triggered, &navigator, &Navigator::goForward);
}

void Workbench::show(const SnapshotPointer &snapshot, Session::Change change)
{
    if (change == Session::Change::Live) {
        preview(snapshot);
        return;
    }
    passes.showRecord(snapshot);
    if (change == Session::Change::Opened) {
        Q_EMIT modelChanged();
        deviceJobs.queue().forget();
        kernels.forget();
        kernels.restore();
        verification.forget();
        colours.forgetData();
        comparison.end();
        navigator.open(snapshot);
    } else {
        if (change == Session::Change::Edited)
            drawings.expectEdit(snapshot);
        navigator.update(snapshot);
    }
    Q_EMIT documents.titleChanged();
}

/// Keeps a nested graph in view, as passes only change the main graph.
void Workbench::preview(const SnapshotPointer &snapshot)
{
    const SnapshotPointer shown =
        navigator.isInside() ? sameGraphIn(snapshot, *navigator.shown()) : snapshot;
    Q_EMIT previewed(shown, snapshot);
    timelines.setSnapshot(shown, true);
    if (!navigator.isInside())
        drawings.setSnapshot(snapshot);
}

void Workbench::showGraph(const SnapshotPointer &shown)
{
    Q_EMIT graphShown(shown);
    timelines.setSnapshot(shown);
    drawings.setSnapshot(shown);
    kernels.refresh();
    verification.refresh();
    colours.refresh(); // once, with the runs and the verification of this plan
    view.showGrouping();
    edits.refresh();
    updateActions();
}

void Workbench::cancelWork()
{
    session.cancel();
    kernels.cancel();
    deviceJobs.cancel();
    verification.cancel();
    comparison.cancel();
}

bool Workbench::isBusy() const
{
    return session.isBusy() || drawings.isBusy() || sides.isBusy() || edits.isChecking() ||
           timelines.isRunning() || kernels.isRunning() || deviceJobs.isRunning() ||
           verification.isRunning() || training.isRunning() || comparison.isRunning() ||
           documents.isWriting();
}

bool Workbench::isAtWork() const
{
    return session.isOpening() || session.runs().activeCount() > 0 || kernels.isRunning() ||
           deviceJobs.isRunning() || verification.isRunning() || training.isRunning() ||
           comparison.isRunning() || documents.isWriting() || session.isSaving();
}

bool Workbench::mayUndo() const
{
    return !session.isBusy() && !kernels.isRunning(); // a pass would disturb measurements
}

void Workbench::updateActions()
{
    const SnapshotPointer &snapshot = session.snapshot();
    for (QAction *action : actions.needModel())
        action->setEnabled(snapshot != nullptr);
    const bool besideOthers = documents.host && documents.host->benchCount() > 1;
    for (QAction *action : actions.needTabs())
        action->setEnabled(besideOthers);
    actions.close->setEnabled(snapshot || besideOthers);
    view.updateActions();
    passes.updateActions();
    comparison.updateActions();
    kernels.updateActions();
    // They would disturb each other.
    deviceJobs.queue().setHeld(kernels.isRunning() || session.isBusy() ||
                               session.runs().activeCount() > 0);
    verification.updateActions();
    colours.updateActions();
    tensors.updateActions();
    actions.cancel->setEnabled(session.isRunning() || session.isOpening() || kernels.isRunning() ||
                               deviceJobs.isRunning() || verification.isRunning() ||
                               comparison.isRunning());
    QUndoStack &undo = session.undoStack();
    actions.undo->setEnabled(undo.canUndo() && mayUndo());
    actions.redo->setEnabled(undo.canRedo() && mayUndo());
    actions.undo->setText(undo.canUndo() ? tr("&Undo %1").arg(undo.undoText()) : tr("&Undo"));
    actions.redo->setText(undo.canRedo() ? tr("&Redo %1").arg(undo.redoText()) : tr("&Redo"));
    Q_EMIT stateChanged();
}

} // namespace graphloom
