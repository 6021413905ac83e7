// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window_tour.h"

#include "app/docks/in_sight.h"
#include "app/graph/canvas_page.h"
#include "app/help/coach_mark.h"
#include "app/help/key_rows.h"
#include "app/help/welcome_page.h"
#include "app/shell/graph_area.h"
#include "app/shell/menus.h"
#include "app/shell/panel_docks.h"
#include "app/workbench/workbench.h"

#include <QCoreApplication>
#include <QDir>
#include <QDockWidget>
#include <QKeySequence>
#include <QMainWindow>
#include <QPushButton>
#include <QTabBar>
#include <QToolBar>

namespace graphloom {

namespace {

const QString offeredKey = QStringLiteral("tour/offered");

QRect partOf(const QWidget &widget, const QWidget &window)
{
    return widget.isVisible() ? QRect(widget.mapTo(&window, QPoint(0, 0)), widget.size()) : QRect();
}

/// Returns what ends a step of the tour: a signal whose arguments fulfil a condition.
template <class Sender, class Signal, class Condition>
auto onceAfter(Sender &sender, Signal signal, Condition holds)
{
    return [&sender, signal, holds](QObject &during, const std::function<void()> &done) {
        QObject::connect(&sender, signal, &during, [holds, done](const auto &...arguments) {
            if (holds(arguments...))
                done();
        });
    };
}

} // namespace

std::filesystem::path sampleModel()
{
    return QDir(QCoreApplication::applicationDirPath())
        .absoluteFilePath(QStringLiteral("../share/graphloom/models/mobilenet_v2_224.onnx"))
        .toStdString();
}

WindowTour::WindowTour(QMainWindow &window, Workbench &bench, GraphArea &area, PanelDocks &docks)
    : m_window(window), m_bench(bench), m_area(area), m_docks(docks)
{
    connect(bench.actions.tour, &QAction::triggered, this, &WindowTour::start);
}

/// Returns the panel, or its tab if it is behind another one.
QRect WindowTour::placeOfPanel(const QString &key) const
{
    const QDockWidget &panel = m_docks.dock(key);
    if (isInSight(panel))
        return partOf(panel, m_window);
    for (const QTabBar *tabs : m_window.findChildren<QTabBar *>())
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->isVisible() && tabs->tabText(i) == panel.windowTitle() &&
                tabs->parentWidget() == &m_window)
                return tabs->tabRect(i).translated(tabs->mapTo(&m_window, QPoint(0, 0)));
    return {};
}

QRect WindowTour::placeOfTool(QAction *action) const
{
    const auto *bar = m_window.findChild<QToolBar *>(QLatin1String(toolBarName));
    const QWidget *button = bar->widgetForAction(action);
    return button ? partOf(*button, m_window) : QRect();
}

std::vector<Tour::Step> WindowTour::steps()
{
    const Actions &a = m_bench.actions;
    const auto keysOf = [](const QAction *action) { return textOf({action->shortcut()}); };
    const auto panel = [this](const char *name) {
        return [this, name = QString::fromLatin1(name)] { return placeOfPanel(name); };
    };
    std::vector<Tour::Step> steps;
    steps.push_back(
        {tr("Open a model"),
         tr("Choose “Open the sample” to open a model that is included with Graphloom, or open "
            "your own: press %1, or drop a file here.")
             .arg(keysOf(a.open)),
         [this] {
             return m_area.welcome().isVisible() ? partOf(m_area.welcome().sampleButton(), m_window)
                                                 : placeOfTool(m_bench.actions.open);
         },
         onceAfter(m_bench.session, &Session::openingFinished,
                   [](bool succeeded) { return succeeded; })});
    steps.push_back(
        {tr("Run a pass"),
         tr("Choose the pass dnnfusion at the top of this panel and press %1. It rewrites the "
            "graph and fuses operators into blocks; watch the graph change.")
             .arg(keysOf(a.run)),
         panel("passes"),
         onceAfter(m_bench.session, &Session::passFinished, [this](bool succeeded) {
             return succeeded && m_bench.session.snapshot()->plan->fusion;
         })});
    steps.push_back({tr("Look at a block"),
                     tr("Each row is a fusion block. Click one, or a node of the graph: the "
                        "Properties panel shows what it does and why it is not larger."),
                     panel("fusion"),
                     onceAfter(m_bench.selection, &Selection::changed,
                               [](const Item &item) { return bool(item); })});
    steps.push_back({tr("Change a block"),
                     tr("Click a node inside a block and press %1: it becomes a block of its own. "
                        "If an edit is not possible, Graphloom tells you why.")
                         .arg(keysOf(m_bench.edits.split)),
                     [this] { return partOf(m_area, m_window); },
                     onceAfter(m_bench.session, &Session::editingFinished, [] { return true; })});
    steps.push_back(
        {tr("Undo"),
         tr("Press %1 to go back to the previous plan, as often as you like.").arg(keysOf(a.undo)),
         [this] { return placeOfTool(m_bench.actions.undo); },
         onceAfter(m_bench.session.undoStack(), &QUndoStack::indexChanged,
                   [this](int) { return m_bench.session.undoStack().canRedo(); })});
    steps.push_back(
        {tr("See the memory"),
         tr("The Memory panel shows which tensors are in memory at each step of the "
            "schedule, and where the peak is."),
         panel("memory"),
         onceAfter(m_docks.dock(QStringLiteral("memory")), &QDockWidget::visibilityChanged,
                   [](bool visible) { return visible; })});
    steps.push_back(
        {tr("Export the plan"),
         tr("Press %1 to export the plan as standard ONNX, with a local function for "
            "each block. The File menu also exports pictures and reports.")
             .arg(keysOf(a.exportOnnx)),
         [this] { return placeOfTool(m_bench.actions.exportOnnx); },
         onceAfter(m_bench.documents, &DocumentController::exported, [] { return true; })});
    steps.push_back({tr("You are ready"),
                     tr("%1 finds every command by name, %2 lists all shortcuts, and %3 "
                        "explains what you click. Start the tour again from the Help menu.")
                         .arg(keysOf(a.commands), keysOf(a.keys), keysOf(a.whatsThis)),
                     [this] { return placeOfTool(m_bench.actions.help); }, nullptr});
    return steps;
}

void WindowTour::start()
{
    m_bench.settings->setValue(offeredKey, true);
    if (!m_tour) {
        m_tour = std::make_unique<Tour>(m_window, steps());
        connect(m_tour.get(), &Tour::ended, this, [this] { m_area.currentWidget()->setFocus(); });
    }
    if (m_tour->isRunning()) // keyboard users
        m_tour->mark()->skipButton().setFocus(Qt::ShortcutFocusReason);
    else
        m_tour->start(m_bench.session.snapshot() ? 1 : 0);
}

void WindowTour::offer()
{
    if (!m_bench.settings->value(offeredKey).toBool())
        start();
}

} // namespace graphloom
