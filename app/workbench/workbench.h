// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/graph/drawing_controller.h"
#include "app/graph/navigator.h"
#include "app/session/session.h"
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
#include "app/workbench/training_controller.h"
#include "app/workbench/view_controller.h"

#include <QSettings>

#include <memory>

namespace graphloom {

/// What a window works on, and what works on it: the session, which of its graphs is shown and how,
/// the commands, and the controllers that carry them out. Knows no widgets: panels and the canvas
/// listen to it, and it tells them by signals.
class Workbench final : public QObject {
    Q_OBJECT

public:
    /// The actions are those of the window.
    Workbench(MainWindowOptions options, QMainWindow &window);
    ~Workbench() override;

    /// Adds a message of the session.
    void tell(MessageModel::Severity severity, const QString &text, const QString &details = {});
    void inform(const QString &text) { tell(MessageModel::Severity::Info, text); }
    void warn(const QString &text) { tell(MessageModel::Severity::Warning, text); }
    /// Enables what can be done now.
    void updateActions();
    /// Is anything at work that changes what is shown?
    bool isBusy() const;
    /// Stops what was started last: opening, a pass, measuring, comparing.
    void cancelWork();

    JobList jobs; // first: others report to it until they end
    const MainWindowOptions options;
    const std::unique_ptr<QSettings> settings;
    Session session;
    Selection selection;
    Navigator navigator{selection};
    DrawingController drawings;
    TimelineMaker timelines;
    Actions actions;
    /// Where an item is on the screen, for menus; the canvas says so.
    std::function<QPoint(const Item &)> placeOf = [](const Item &) { return QPoint(); };
    EditActions edits;
    FissionActions fissionEdits;
    PassController passes{*this};
    KernelController kernels{*this};
    ColourController colours{*this};
    ViewController view{*this};
    ComparisonController comparison{*this};
    DocumentController documents{*this};
    TrainingController training{*this};

Q_SIGNALS:
    /// Another graph is shown, or another state of it; null: none.
    void graphShown(const graphloom::SnapshotPointer &shown);
    /// A plan of a pass at work: of the graph that is shown, and of the model's own.
    void previewed(const graphloom::SnapshotPointer &shown, const graphloom::SnapshotPointer &own);
    /// Another model comes, or none; what belongs to the one before is to be forgotten.
    void modelChanged();
    /// What can be done has changed.
    void stateChanged();
    /// The panel with this key is to come to the front.
    void panelWanted(const QString &key);
    /// It is to be at least so high.
    void heightWanted(const QString &key, int pixels);
    /// For a moment, where the user looks.
    void noticed(const QString &text);
    /// An edit is not possible; the nodes that are the cause, where there are any.
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    /// An item was activated, or its menu is wanted.
    void activated(const graphloom::Item &item);
    void menuWanted(const graphloom::Item &item, const QPoint &globalPlace);
    /// Something that was at work has ended.
    void settled();

private:
    void connectSession();
    void connectActions();
    void show(const SnapshotPointer &snapshot, Session::Change change);
    void showGraph(const SnapshotPointer &shown);
    void preview(const SnapshotPointer &snapshot);
};

} // namespace graphloom
