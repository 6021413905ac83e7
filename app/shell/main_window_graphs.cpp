// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the model's graphs the window shows, and how one gets from one to another.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/drawing/legend.h"
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/breadcrumbs.h"
#include "app/graph/canvas_page.h"
#include "app/graph/focus_bar.h"
#include "app/kernels/kernel_panel.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/properties/properties_panel.h"
#include "app/query/search_bar.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/runs/pass_panel.h"
#include "app/shell/edit_actions.h"
#include "app/shell/fission_actions.h"

#include <QMenu>
#include <QStatusBar>
#include <QTimer>

namespace graphloom {

namespace {

constexpr int noticeTime = 8000; // milliseconds

} // namespace

void MainWindow::connectNavigation()
{
    const Actions &a = *m_actions;
    connect(a.openNested, &QAction::triggered, this, &MainWindow::openNested);
    connect(a.goUp, &QAction::triggered, &m_navigator, &Navigator::goUp);
    connect(a.goBack, &QAction::triggered, &m_navigator, &Navigator::goBack);
    connect(a.goForward, &QAction::triggered, &m_navigator, &Navigator::goForward);
    connect(&m_navigator, &Navigator::shownChanged, this, &MainWindow::showGraph);
    connect(&m_navigator, &Navigator::left, this, [this](const QString &title) {
        const QString text = tr("This plan has no graph %1: the one around it is shown").arg(title);
        m_session.messages().add(MessageModel::Severity::Info, text);
        statusBar()->showMessage(text, noticeTime);
    });
    connect(&m_page->breadcrumbs(), &Breadcrumbs::chosen, &m_navigator, &Navigator::go);
    connect(&m_page->search(), &SearchBar::chosenElsewhere, &m_navigator, &Navigator::go);
    connect(&m_drawings, &DrawingController::ready, this, &MainWindow::showDrawing);
    GraphCanvas &canvas = m_page->canvas();
    connect(&canvas, &GraphCanvas::activated, this, &MainWindow::activate);
    connect(&canvas, &GraphCanvas::menuRequested, this, &MainWindow::showMenu);
    connect(m_nodes, &NodeListPanel::activated, this, &MainWindow::activate);
    connect(m_nodes, &NodeListPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_partition, &PartitionPanel::activated, this, &MainWindow::activate);
    connect(m_partition, &PartitionPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_fusion, &FusionPanel::activated, this, &MainWindow::activate);
    connect(m_fusion, &FusionPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_kernels, &KernelPanel::activated, this, &MainWindow::activate);
    connect(m_kernels, &KernelPanel::menuRequested, this, &MainWindow::showMenu);
}

/// A plan of a pass at work. Passes work on the model's own graph: a nested one stays as it is.
void MainWindow::preview(const SnapshotPointer &snapshot)
{
    const SnapshotPointer shown =
        m_navigator.isInside() ? sameGraphIn(snapshot, *m_navigator.shown()) : snapshot;
    m_partition->setSnapshot(shown);
    m_fusion->setSnapshot(shown);
    m_pareto->setSnapshot(snapshot);
    m_timelines.setSnapshot(shown, true);
    if (m_navigator.isInside())
        return;
    m_drawings.setSnapshot(snapshot);
}

void MainWindow::showGraph(const SnapshotPointer &shown)
{
    GraphCanvas &canvas = m_page->canvas();
    if (const DrawingPointer &drawing = canvas.drawing();
        drawing && shown && drawing->snapshot->path != shown->path) {
        // What could still be clicked at would be taken for something of the other graph.
        m_views[drawing->snapshot->path] = canvas.view();
        canvas.setDrawing(nullptr);
    }
    const QString document = fileNameOf(m_session.path());
    m_partition->setSnapshot(shown);
    m_fusion->setSnapshot(shown);
    m_pareto->setSnapshot(m_session.snapshot());
    m_fissions->setSnapshot(m_session.snapshot());
    m_timelines.setSnapshot(shown);
    m_rewriting->setLog(shown ? shown->plan->rewrite : nullptr);
    m_passes->setFired(shown && shown->plan->rewrite ? timesFired(*shown->plan->rewrite)
                                                     : std::map<std::string, std::size_t>());
    m_nodes->setSnapshot(shown);
    m_hierarchy->setSnapshot(shown);
    m_properties->setSnapshot(shown);
    m_page->search().setSnapshot(shown);
    m_page->legend().setSnapshot(shown);
    m_page->breadcrumbs().setSnapshot(shown, document);
    canvas.setAccessibleName(m_navigator.isInside() ? tr("Graph %1").arg(titleOf(*shown))
                                                    : tr("Graph"));
    m_drawings.setSnapshot(shown);
    m_hierarchy->setCollapsed(m_drawings.options().collapsed);
    showRun();
    showGrouping();
    m_edits->refresh();
    updateStatus();
    updateHints();
    updateActions();
}

void MainWindow::showDrawing(const DrawingPointer &drawing, bool fresh)
{
    GraphCanvas &canvas = m_page->canvas();
    m_busyPatience->stop();
    canvas.setDrawing(drawing);
    m_page->focusBar().show(drawing);
    colourNodes(); // by what is drawn now
    if (fresh) {
        const auto view = m_views.find(drawing->snapshot->path);
        if (view != m_views.end())
            canvas.setView(view->second);
        else
            canvas.fitReadable();
        canvas.reveal(m_selection.item());
    }
    m_page->setBusy({});
}

void MainWindow::activate(const Item &item)
{
    const SnapshotPointer &shown = m_navigator.shown();
    if (item.isGroup() && !m_navigator.isInside() && groupingOf(item) == drawn()) {
        m_drawings.toggleCollapsed(item);
        return;
    }
    m_selection.select(item);
    if (item.isGroup()) {
        m_page->canvas().reveal(item); // it was enough to get there
        return;
    }
    if (item.kind == Item::Kind::Captured) {
        m_navigator.go({shown->around->path, sourceOf(*shown, item.tensor())});
        return;
    }
    if (item.kind == Item::Kind::Node && !shown->facts->nestedIn(item.node()).empty())
        openNested();
    else if (!m_drawings.openAround(item)) // to see a node, the boxes around it are opened
        m_page->canvas().zoomToItem(item);
}

/// Of a node with several graphs, such as the branches of an If, one is chosen from a menu.
void MainWindow::openNested()
{
    const Item item = m_selection.item();
    const SnapshotPointer shown = m_navigator.shown();
    const auto nested = shown->facts->nestedIn(item.node());
    if (nested.size() == 1) {
        m_navigator.go({insideOf(shown, nested.front().step)->path, {}});
        return;
    }
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("branchMenu"));
    addNestedTo(*menu, item);
    menu->setActiveAction(menu->actions().front());
    menu->popup(m_page->canvas().globalPlaceOf(item));
}

void MainWindow::addNestedTo(QMenu &menu, const Item &item)
{
    const SnapshotPointer &shown = m_navigator.shown();
    if (item.kind != Item::Kind::Node)
        return;
    for (const NestedGraph &nested : shown->facts->nestedIn(item.node())) {
        Place inside{shown->path, {}};
        inside.path.push_back(nested.step);
        menu.addAction(m_actions->openNested->icon(),
                       tr("Open %1").arg(nestedSummary({&nested, 1})), &m_navigator,
                       [this, inside] { m_navigator.go(inside); });
    }
}

void MainWindow::showMenu(const Item &item, const QPoint &globalPlace)
{
    if (!m_navigator.shown())
        return;
    const Actions &a = *m_actions;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("itemMenu"));
    addNestedTo(*menu, item);
    if (item.kind == Item::Kind::Captured)
        menu->addAction(a.goUp->icon(), tr("Go to where it comes from"), this,
                        [this, item] { activate(item); });
    menu->addSeparator();
    if (item)
        menu->addActions({a.zoomSelection, a.focus, a.focusWays});
    if (item.kind == Item::Kind::Node)
        menu->addAction(a.showOriginals);
    if (a.toggleGroup->isEnabled() && item.kind != Item::Kind::None)
        menu->addAction(a.toggleGroup);
    if (item && !m_navigator.isInside()) {
        menu->addSeparator();
        if (item.kind == Item::Kind::Fission)
            m_fissionEdits->addTo(*menu);
        else
            m_edits->addTo(*menu);
        menu->addSeparator();
    }
    menu->addActions({a.fit, a.goUp, a.goBack});
    menu->addSeparator();
    menu->addActions({a.exportPicture, a.exportTable});
    menu->popup(globalPlace);
}

} // namespace graphloom
