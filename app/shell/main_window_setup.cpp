// SPDX-License-Identifier: GPL-3.0-or-later
// What the window is made of; main_window.cpp is what it does.
#include "app/shell/main_window.h"

#include "app/compare/compare_panel.h"
#include "app/fission/fission_panel.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/help/command_palette.h"
#include "app/help/help_view.h"
#include "app/help/welcome_page.h"
#include "app/kernels/kernel_panel.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/properties/properties_panel.h"
#include "app/query/search_bar.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/runs/pass_panel.h"
#include "app/runs/run_panel.h"
#include "app/session/recent_files.h"
#include "app/shell/edit_actions.h"
#include "app/shell/fission_actions.h"
#include "app/status/job_status.h"
#include "app/status/message_panel.h"

#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>

namespace graphloom {

namespace {

constexpr int sideWidth = 350, bottomHeight = 240;
// Of the saved arrangement of panels; another number forgets it.
constexpr int panelsVersion = 7;

} // namespace

QDockWidget *MainWindow::addDock(const QString &name, const QString &title, QWidget *panel,
                                 Qt::DockWidgetArea area)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(panel);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::createPanels()
{
    m_page = new CanvasPage(m_selection, m_actions->goUp);
    m_welcome = new WelcomePage(m_actions->open, m_actions->recover);
    m_pages = new QStackedWidget;
    m_pages->addWidget(m_welcome);
    m_pages->addWidget(m_page);
    setCentralWidget(m_pages);

    m_nodes = new NodeListPanel(m_selection);
    m_hierarchy = new HierarchyPanel(m_selection);
    m_properties = new PropertiesPanel(m_selection);
    m_partition = new PartitionPanel(m_selection);
    m_edits = std::make_unique<EditActions>(
        *this, m_session, m_selection, m_navigator,
        [this](const Item &item) { return m_page->canvas().globalPlaceOf(item); });
    m_fusion = new FusionPanel(m_selection);
    m_fusion->edits().setActions(m_edits->ofGroups());
    m_partition->edits().setActions(m_edits->ofGroups());
    m_rewriting = new RewritePanel;
    m_kernels =
        new KernelPanel(m_selection, m_actions->runHere, m_actions->tuneHere, m_actions->cancel);
    m_memory = new MemoryPanel(m_selection);
    m_fissions = new FissionPanel(m_selection);
    m_fissionEdits = std::make_unique<FissionActions>(*this, m_session);
    m_fissions->edits().setActions(m_fissionEdits->all());
    m_pareto = new ParetoPanel;
    m_passes = new PassPanel(m_options.plugins, m_actions->run, m_actions->hold, m_actions->cancel,
                             m_actions->take);
    m_runPanel = new RunPanel;
    m_runPanel->setActions({m_actions->takeRun, m_actions->holdRun, m_actions->stopRun,
                            m_actions->compareRun, m_actions->removeRun});
    m_compare = new ComparePanel;
    m_messages = new MessagePanel(m_session.messages());
    m_help = new HelpView(m_options.plugins);
    m_commands = new CommandPalette(this);

    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    auto *passes =
        addDock(QStringLiteral("passes"), tr("Passes"), m_passes, Qt::LeftDockWidgetArea);
    auto *nodes = addDock(QStringLiteral("nodes"), tr("Nodes"), m_nodes, Qt::LeftDockWidgetArea);
    auto *properties = addDock(QStringLiteral("properties"), tr("Properties"), m_properties,
                               Qt::RightDockWidgetArea);
    auto *help = addDock(QStringLiteral("help"), tr("Help"), m_help, Qt::RightDockWidgetArea);
    auto *partition = addDock(QStringLiteral("partition"), tr("Partition"), m_partition,
                              Qt::BottomDockWidgetArea);
    auto *messages =
        addDock(QStringLiteral("messages"), tr("Messages"), m_messages, Qt::BottomDockWidgetArea);
    auto *fusion =
        addDock(QStringLiteral("fusion"), tr("Fusion blocks"), m_fusion, Qt::BottomDockWidgetArea);
    auto *rewriting = addDock(QStringLiteral("rewriting"), tr("Rewrite log"), m_rewriting,
                              Qt::BottomDockWidgetArea);
    auto *kernels =
        addDock(QStringLiteral("kernels"), tr("Kernels"), m_kernels, Qt::BottomDockWidgetArea);
    auto *memory =
        addDock(QStringLiteral("memory"), tr("Memory"), m_memory, Qt::BottomDockWidgetArea);
    auto *fissions =
        addDock(QStringLiteral("fissions"), tr("F-Tree"), m_fissions, Qt::BottomDockWidgetArea);
    auto *pareto =
        addDock(QStringLiteral("pareto"), tr("Pareto"), m_pareto, Qt::BottomDockWidgetArea);
    auto *runs = addDock(QStringLiteral("runs"), tr("Runs"), m_runPanel, Qt::BottomDockWidgetArea);
    auto *compare =
        addDock(QStringLiteral("compare"), tr("Compare"), m_compare, Qt::BottomDockWidgetArea);
    auto *hierarchy =
        addDock(QStringLiteral("hierarchy"), tr("Hierarchy"), m_hierarchy, Qt::LeftDockWidgetArea);
    tabifyDockWidget(nodes, hierarchy);
    nodes->raise();
    tabifyDockWidget(properties, help);
    tabifyDockWidget(partition, fusion);
    tabifyDockWidget(fusion, rewriting);
    tabifyDockWidget(rewriting, kernels);
    tabifyDockWidget(kernels, memory);
    tabifyDockWidget(memory, fissions);
    tabifyDockWidget(fissions, pareto);
    tabifyDockWidget(pareto, runs);
    tabifyDockWidget(runs, compare);
    tabifyDockWidget(compare, messages);
    help->hide();
    properties->raise();
    partition->raise();
    resizeDocks({passes, properties}, {sideWidth, sideWidth}, Qt::Horizontal);
    resizeDocks({partition}, {bottomHeight}, Qt::Vertical);
    resizeDocks({passes, nodes}, {520, 380}, Qt::Vertical);
    layout()->activate(); // else the width that they had side by side stays the least
    m_firstPanels = saveState(panelsVersion);
}

void MainWindow::createMenus()
{
    const Actions &a = *m_actions;
    QMenu *file = menuBar()->addMenu(tr("&File"));
    file->addActions({a.newWindow, a.open});
    QMenu *recent = file->addMenu(tr("Open &recent"));
    m_recent = std::make_unique<RecentFiles>(*m_settings, *recent);
    file->addSeparator();
    file->addActions({a.save, a.saveAs, a.saveEmbedded, a.recover});
    file->addSeparator();
    file->addActions({a.exportOnnx, a.exportPicture, a.exportTable, a.exportDot, a.exportReport});
    file->addSeparator();
    file->addActions({a.close, a.quit});

    QMenu *edit = menuBar()->addMenu(tr("&Edit"));
    edit->addActions({a.undo, a.redo});
    edit->addSeparator();
    edit->addActions({a.find, a.findNext, a.findPrevious, a.clearSelection});

    QMenu *pass = menuBar()->addMenu(tr("&Pass"));
    pass->addActions({a.run, a.runBeside, a.goOn});
    pass->addSeparator();
    pass->addActions({a.hold, a.take, a.cancel});
    pass->addSeparator();
    pass->addAction(a.training);
    pass->addMenu(tr("Chosen r&uns"))
        ->addActions({a.takeRun, a.holdRun, a.stopRun, a.compareRun, a.removeRun});

    QMenu *compare = menuBar()->addMenu(tr("&Compare"));
    compare->addActions({a.compareOriginal, a.comparePrevious, a.compareRun, a.compareFile});
    compare->addSeparator();
    compare->addActions({a.nextDifference, a.previousDifference});
    compare->addSeparator();
    compare->addActions({a.showOriginals, a.showSuccessors});
    compare->addSeparator();
    compare->addAction(a.endComparison);

    QMenu *blocks = menuBar()->addMenu(tr("P&lan"));
    blocks->setToolTipsVisible(true);
    for (QAction *action : m_edits->ofGroups())
        blocks->addAction(action);
    blocks->addSeparator();
    blocks->addActions({m_edits->earlier, m_edits->later});
    QMenu *layouts = blocks->addMenu(tr("La&yout"));
    layouts->setToolTipsVisible(true);
    layouts->addActions({m_edits->channelsFirst, m_edits->channelsLast, m_edits->freeLayout});
    QMenu *fissions = blocks->addMenu(tr("&F-Tree"));
    fissions->setToolTipsVisible(true);
    for (QAction *action : m_fissionEdits->all())
        fissions->addAction(action);
    blocks->addSeparator();
    blocks->addActions({a.groupBlocks, a.groupSubgraphs, a.groupModules, a.groupFissions,
                        a.groupNone, a.nextGrouping});

    QMenu *kernels = menuBar()->addMenu(tr("&Kernels"));
    kernels->addActions({a.runHere, a.tuneHere, a.cancel});
    kernels->addSeparator();
    kernels->addAction(a.heat);

    QMenu *go = menuBar()->addMenu(tr("&Go"));
    go->addActions({a.openNested, a.goUp});
    go->addSeparator();
    go->addActions({a.goBack, a.goForward});

    QMenu *view = menuBar()->addMenu(tr("&View"));
    view->addActions({a.zoomIn, a.zoomOut, a.zoomNormal, a.fit, a.zoomSelection});
    view->addSeparator();
    view->addActions(
        {a.groupBlocks, a.groupSubgraphs, a.groupModules, a.groupFissions, a.groupNone});
    view->addSeparator();
    view->addActions({a.toggleGroup, a.onlyWay, a.collapseAll, a.expandAll});
    QMenu *levels = view->addMenu(tr("Open so many le&vels"));
    for (QAction *level : a.levels)
        levels->addAction(level);
    view->addSeparator();
    view->addActions({a.focus, a.focusMore, a.focusFewer, a.focusWays, a.focusAll});
    view->addSeparator();
    view->addActions({a.columns, a.layered, a.graphviz});
    view->addSeparator();
    view->addActions({a.colourByClass, a.colourBySubgraph, a.heat, a.loadData, a.removeData});
    view->addSeparator();
    view->addActions({a.minimap, a.legend, a.jobs});
    view->addSeparator();
    view->addActions({a.themeSystem, a.themeDark, a.themeLight, a.nextTheme});
    view->addSeparator();
    m_panelMenu = view->addMenu(tr("&Panels"));
    addPanelActions();
    m_panelMenu->addSeparator();
    m_panelMenu->addAction(a.resetLayout);

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    help->addActions({a.help, a.glossary, a.keys, a.tour, a.whatsThis, a.commands});
    help->addSeparator();
    help->addAction(a.about);

    m_commands->setActions(allCommands());
}

void MainWindow::createToolBar()
{
    const Actions &a = *m_actions;
    QToolBar *bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->addActions({a.open, a.exportOnnx, a.exportPicture});
    bar->addSeparator();
    bar->addActions({a.run, a.hold, a.take, a.runHere, a.tuneHere, a.cancel});
    bar->addSeparator();
    bar->addActions({a.undo, a.redo});
    bar->addSeparator();
    bar->addActions({a.zoomOut, a.zoomIn, a.fit});
    bar->addSeparator();
    bar->addActions({a.nextGrouping, a.collapseAll, a.expandAll, a.columns});
    bar->addSeparator();
    bar->addActions({a.heat, a.minimap, a.legend});
    auto *space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addActions({a.find, a.commands, a.nextTheme, a.help});
}

void MainWindow::createStatusBar()
{
    statusBar()->setSizeGripEnabled(false);
    const auto label = [this](const char *name) {
        auto *status = new QLabel;
        status->setObjectName(QLatin1String(name));
        status->setContentsMargins(6, 0, 6, 0);
        return status;
    };
    m_modelStatus = label("modelStatus");
    m_nodeStatus = label("nodeStatus");
    m_costStatus = label("costStatus");
    m_planStatus = label("planStatus");
    for (QLabel *status : {m_modelStatus, m_nodeStatus, m_costStatus, m_planStatus})
        statusBar()->addWidget(status);
    m_work = new JobStatus(m_jobs, *this);
    statusBar()->addPermanentWidget(m_work);
}

void MainWindow::restoreSettings()
{
    if (!restoreGeometry(m_settings->value(QStringLiteral("window/geometry")).toByteArray()))
        resize(1500, 940);
    restoreState(m_settings->value(QStringLiteral("window/panels")).toByteArray(), panelsVersion);
    const auto toggle = [this](QAction *action, const QString &key) {
        action->setChecked(m_settings->value(key, action->isChecked()).toBool());
    };
    toggle(m_actions->minimap, QStringLiteral("view/minimap"));
    toggle(m_actions->legend, QStringLiteral("view/legend"));
    toggle(m_actions->columns, QStringLiteral("view/columns"));
    chooseGrouping(Grouping(
        std::clamp(m_settings->value(QStringLiteral("view/boxes"), int(Grouping::Blocks)).toInt(),
                   int(Grouping::None), int(Grouping::Fissions))));
    RunOptions run;
    run.runs = m_settings->value(QStringLiteral("kernels/runs"), run.runs).toInt();
    run.threads = m_settings->value(QStringLiteral("kernels/threads"), run.threads).toUInt();
    m_kernels->setOptions(run);
    TuneLimits limits;
    limits.seconds = m_settings->value(QStringLiteral("kernels/seconds"), limits.seconds).toInt();
    limits.trials = m_settings->value(QStringLiteral("kernels/trials"), limits.trials).toInt();
    m_kernels->setLimits(limits);
    const QString name = m_settings->value(QStringLiteral("theme")).toString();
    m_themeChoice =
        m_options.theme.value_or(name == QLatin1String("dark")    ? ThemeChoice::Dark
                                 : name == QLatin1String("light") ? ThemeChoice::Light
                                                                  : ThemeChoice::System);
    m_welcome->setRecent(m_recent->paths());
}

void MainWindow::saveSettings()
{
    m_settings->setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_settings->setValue(QStringLiteral("window/panels"), saveState(panelsVersion));
    m_settings->setValue(QStringLiteral("view/minimap"), m_actions->minimap->isChecked());
    m_settings->setValue(QStringLiteral("view/legend"), m_actions->legend->isChecked());
    m_settings->setValue(QStringLiteral("view/columns"), m_actions->columns->isChecked());
    m_settings->setValue(QStringLiteral("view/boxes"), int(m_drawings.options().grouping));
    const RunOptions run = m_kernels->options();
    m_settings->setValue(QStringLiteral("kernels/runs"), run.runs);
    m_settings->setValue(QStringLiteral("kernels/threads"), run.threads);
    const TuneLimits limits = m_kernels->limits();
    m_settings->setValue(QStringLiteral("kernels/seconds"), limits.seconds);
    m_settings->setValue(QStringLiteral("kernels/trials"), limits.trials);
    static const char *const names[] = {"system", "dark", "light"};
    m_settings->setValue(QStringLiteral("theme"), QLatin1String(names[int(m_themeChoice)]));
}

void MainWindow::showOnScreen()
{
    constexpr int border = 10, title = 40; // frames are known only when the window is shown
    resize(size().boundedTo(screen()->availableSize() - QSize(2 * border, title + border)));
    show();
}

void MainWindow::resetPanels()
{
    restoreState(m_firstPanels, panelsVersion);
}

} // namespace graphloom
