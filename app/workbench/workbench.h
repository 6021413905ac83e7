// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/device/device_controller.h"
#include "app/devices/device_jobs.h"
#include "app/graph/drawing_controller.h"
#include "app/graph/navigator.h"
#include "app/session/session.h"
#include "app/sides/sides.h"
#include "app/timeline/timeline_maker.h"
#include "app/workbench/actions.h"
#include "app/workbench/colour_controller.h"
#include "app/workbench/comparison_controller.h"
#include "app/workbench/document_controller.h"
#include "app/workbench/edit_actions.h"
#include "app/workbench/fission_actions.h"
#include "app/workbench/kernel_controller.h"
#include "app/workbench/main_window_options.h"
#include "app/workbench/pass_controller.h"
#include "app/workbench/tensor_controller.h"
#include "app/workbench/training_controller.h"
#include "app/workbench/verification_controller.h"
#include "app/workbench/view_controller.h"

#include <QSettings>

#include <memory>

namespace graphloom {

struct Defaults;

/// Holds what a window works on: the session, which of its graphs is shown and how, the commands,
/// and the controllers that carry them out. Knows no widgets: panels and the canvas connect to its
/// signals.
class Workbench final : public QObject {
    Q_OBJECT

public:
    /// Creates the workbench with the actions of the window.
    Workbench(MainWindowOptions options, QMainWindow &window);
    ~Workbench() override;

    /// Adds a message to those of the session.
    void tell(MessageModel::Severity severity, const QString &text, const QString &details = {});
    void inform(const QString &text) { tell(MessageModel::Severity::Info, text); }
    void warn(const QString &text) { tell(MessageModel::Severity::Warning, text); }
    /// Does the same, and shows the text where the user looks.
    void warnNow(const QString &text);
    /// Enables the actions that are possible now.
    void updateActions();
    /// Tells whether work is going on that will change what is shown.
    bool isBusy() const;
    /// Tells whether work is going on that users wait for: opening, saving, runs, measuring,
    /// comparing.
    bool isAtWork() const;
    /// Tells whether the plan may go to another state of the undo stack.
    bool mayUndo() const;
    /// Stops the work that was started last: opening, a pass, measuring, comparing.
    void cancelWork();

    JobList jobs; // first: others report to it until they are destroyed
    const MainWindowOptions options;
    const std::unique_ptr<QSettings> settings;
    Session session;
    Selection selection;
    Navigator navigator{selection};
    DrawingController drawings;
    Sides sides{selection, drawings};
    TimelineMaker timelines;
    Actions actions;
    /// Returns the position of an item on the screen, for menus; set by the canvas.
    std::function<QPoint(const Item &)> placeOf = [](const Item &) { return QPoint(); };
    DeviceController devices{session, options.targets, *settings, jobs};
    EditActions edits;
    FissionActions fissionEdits;
    PassController passes{*this};
    KernelController kernels{*this};
    DeviceJobs deviceJobs{session, options.targets, options.profile, jobs};
    VerificationController verification{*this};
    ColourController colours{*this};
    ViewController view{*this};
    ComparisonController comparison{*this};
    DocumentController documents{*this};
    TrainingController training{*this};
    TensorController tensors{*this};

Q_SIGNALS:
    /// Emitted when another graph, or another state of it, is to be shown; null for none.
    void graphShown(const graphloom::SnapshotPointer &shown);
    /// Emitted with a plan of a pass at work: snapshots of the graph that is shown, and of the
    /// model's own graph.
    void previewed(const graphloom::SnapshotPointer &shown, const graphloom::SnapshotPointer &own);
    /// Emitted when another model, or none, is opened, to discard what belongs to the one before.
    void modelChanged();
    /// Emitted when the actions that are possible have changed.
    void stateChanged();
    /// Emitted when the panel with this key is to be raised.
    void panelWanted(const QString &key);
    /// Emitted when the panel with this key is to have at least this height.
    void heightWanted(const QString &key, int pixels);
    /// Emitted to show a text for a moment where the user looks.
    void noticed(const QString &text);
    /// Emitted when the user's file was written: `text` says what has become of it, "Exported
    /// x.onnx".
    void fileWritten(const QString &text, const QString &file);
    /// Emitted with the problem when it was not.
    void fileNotWritten(const QString &problem);
    /// Emitted when the user has changed the values with which fields begin, in any window.
    void defaultsChanged(const graphloom::Defaults &before, const graphloom::Defaults &now);
    /// Emitted when an edit is not possible; `cause` holds the nodes that are the cause, if any.
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    /// Emitted when an item was activated, or its context menu is requested.
    void activated(const graphloom::Item &item);
    void menuWanted(const graphloom::Item &item, const QPoint &globalPlace);
    /// Emitted when work has ended.
    void settled();

private:
    void connectSession();
    void connectActions();
    void show(const SnapshotPointer &snapshot, Session::Change change);
    void showGraph(const SnapshotPointer &shown);
    void preview(const SnapshotPointer &snapshot);
};

} // namespace graphloom
