// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of fusion blocks and rewrite steps, and how it groups nodes.
#include "app/shell/main_window.h"

#include "app/drawing/legend.h"
#include "app/fusion/fusion_panel.h"
#include "app/fusion/partition_panel.h"
#include "app/graph/canvas_page.h"
#include "app/nodes/hierarchy_panel.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/shell/edit_actions.h"

#include <QStatusBar>

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr int refusalTime = 8000; // milliseconds

} // namespace

void MainWindow::connectBlocks()
{
    const Actions &a = *m_actions;
    for (const auto &[action, grouping] :
         {std::pair{a.groupNone, Grouping::None}, std::pair{a.groupBlocks, Grouping::Blocks},
          std::pair{a.groupSubgraphs, Grouping::Subgraphs},
          std::pair{a.groupModules, Grouping::Modules},
          std::pair{a.groupFissions, Grouping::Fissions}})
        connect(action, &QAction::triggered, this,
                [this, grouping = grouping] { chooseGrouping(grouping); });
    connect(a.nextGrouping, &QAction::triggered, this, &MainWindow::changeGrouping);
    connect(a.toggleGroup, &QAction::triggered, this, [this] {
        const DrawingPointer &drawing = m_page->canvas().drawing();
        const Item group = drawing ? drawing->graph.groupAround(m_selection.item()) : Item();
        if (group)
            m_drawings.toggleCollapsed(group);
    });
    connect(m_edits.get(), &EditActions::checked, this, [this] {
        for (EditBar *bar : {&m_fusion->edits(), &m_partition->edits()})
            bar->setLegality(m_edits->legality());
    });
    for (EditBar *bar : {&m_fusion->edits(), &m_partition->edits()})
        connect(bar, &EditBar::causeWanted, m_edits.get(), &EditActions::showCause);
    connect(m_edits.get(), &EditActions::refused, this, &MainWindow::showRefusal);
    connect(&m_session, &Session::editingStarted, this, &MainWindow::updateActions);
    connect(&m_session, &Session::editingFinished, this, &MainWindow::updateActions);
    connect(m_rewriting, &RewritePanel::stepChosen, this, &MainWindow::showStep);
    connect(m_rewriting, &RewritePanel::stepActivated, this, &MainWindow::selectStep);
}

void MainWindow::showRefusal(const QString &message, const std::vector<Item> &cause)
{
    m_session.messages().add(MessageModel::Severity::Warning, message);
    statusBar()->showMessage(message, refusalTime);
    m_page->canvas().setCause(cause);
}

Grouping MainWindow::drawn() const
{
    const SnapshotPointer &shown = m_navigator.shown();
    return shown ? drawnGrouping(*shown, m_drawings.options().grouping) : Grouping::None;
}

void MainWindow::chooseGrouping(Grouping grouping)
{
    m_drawings.setGrouping(grouping);
    showGrouping();
}

/// The menu and the legend follow what is drawn, which need not be what was chosen.
void MainWindow::showGrouping()
{
    const Grouping wanted = m_drawings.options().grouping;
    const Grouping now = m_navigator.shown() && drawn() != Grouping::None ? drawn() : wanted;
    (now == Grouping::Blocks      ? m_actions->groupBlocks
     : now == Grouping::Subgraphs ? m_actions->groupSubgraphs
     : now == Grouping::Modules   ? m_actions->groupModules
     : now == Grouping::Fissions  ? m_actions->groupFissions
                                  : m_actions->groupNone)
        ->setChecked(true);
    m_page->legend().setGrouping(drawn());
    m_hierarchy->setGrouping(drawn());
    m_edits->setGrouping(drawn());
}

/// Blocks, subgraphs, modules, regions, none, and around again; without what the plan lacks.
void MainWindow::changeGrouping()
{
    constexpr std::array all{Grouping::Blocks, Grouping::Subgraphs, Grouping::Modules,
                             Grouping::Fissions, Grouping::None};
    const Snapshot &shown = *m_navigator.shown();
    auto next = std::size_t(std::ranges::find(all, drawn()) - all.begin());
    do
        next = (next + 1) % all.size();
    while (all[next] != Grouping::None && !shown.has(all[next]));
    chooseGrouping(all[next]);
}

/// The panel that tells most about what a pass has made.
void MainWindow::raisePanelOf(const Plan &before)
{
    const Plan &now = *m_session.snapshot()->plan;
    if (now.memory && now.memory != before.memory)
        raiseDock(QStringLiteral("memory"));
    else if (now.fusion && now.fusion != before.fusion)
        raiseDock(QStringLiteral("fusion"));
    else if (now.partition)
        raiseDock(QStringLiteral("partition"));
}

void MainWindow::showStep(int step)
{
    const auto &log = m_rewriting->model().log();
    if (!log || step < 0) {
        m_stepDrawer.abandon();
        m_rewriting->showPicture({});
        return;
    }
    m_stepDrawer.announce(&m_jobs, tr("Drawing the step"));
    m_stepDrawer.start(
        [log, step, model = m_session.snapshot()->plan->model](std::stop_token stop) {
            return pictureOf(model, log->steps[std::size_t(step)], stop);
        },
        [this](const StepPicture &picture) { m_rewriting->showPicture(picture); });
}

/// What the step added, as far as later ones left it.
void MainWindow::selectStep(int step)
{
    const auto &log = m_rewriting->model().log();
    if (!log || step < 0)
        return;
    m_navigator.go({});
    std::vector<Item> items;
    for (const NodeId id : log->steps[std::size_t(step)].added)
        if (m_navigator.shown()->graph().contains(id))
            items.push_back(Item::of(id));
    m_selection.select(std::move(items));
}

} // namespace graphloom
