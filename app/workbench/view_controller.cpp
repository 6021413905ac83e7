// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/view_controller.h"

#include "app/workbench/workbench.h"

#include <algorithm>
#include <array>

namespace graphloom {

ViewController::ViewController(Workbench &bench) : m_bench(bench)
{
    const Actions &a = bench.actions;
    DrawingController &drawings = bench.drawings;
    for (const auto &[action, grouping] :
         {std::pair{a.groupNone, Grouping::None}, std::pair{a.groupBlocks, Grouping::Blocks},
          std::pair{a.groupSubgraphs, Grouping::Subgraphs},
          std::pair{a.groupModules, Grouping::Modules},
          std::pair{a.groupFissions, Grouping::Fissions}})
        connect(action, &QAction::triggered, this,
                [this, grouping = grouping] { choose(grouping); });
    connect(a.nextGrouping, &QAction::triggered, this, &ViewController::chooseNext);
    connect(a.columns, &QAction::toggled, &drawings, &DrawingController::setColumns);
    for (const auto &[action, collapsed] :
         {std::pair{a.collapseAll, true}, std::pair{a.expandAll, false}})
        connect(action, &QAction::triggered, this, [this, collapsed = collapsed] {
            m_bench.drawings.collapseAll(collapsed);
            m_bench.sides.collapseAll(collapsed);
        });
    connect(a.graphviz, &QAction::toggled, this, [&drawings](bool chosen) {
        drawings.setMethod(chosen ? LayoutMethod::Graphviz : LayoutMethod::Layered);
    });
    for (std::uint32_t level = 0; level < a.levels.size(); ++level)
        connect(a.levels[level], &QAction::triggered, this, [this, level] {
            m_bench.drawings.showLevels(level);
            m_bench.sides.showLevels(level);
        });
    connect(a.onlyWay, &QAction::triggered, this, [this] {
        if (m_bench.selection.item())
            m_bench.drawings.showOnlyWayTo(m_bench.selection.item());
    });
    connect(a.focus, &QAction::triggered, this, [this] { focusOn(false); });
    connect(a.focusWays, &QAction::triggered, this, [this] { focusOn(true); });
    connect(a.focusMore, &QAction::triggered, this, [this] { changeSteps(1); });
    connect(a.focusFewer, &QAction::triggered, this, [this] { changeSteps(-1); });
    connect(a.focusAll, &QAction::triggered, this, [&drawings] { drawings.setFocus({}); });
}

Grouping ViewController::drawn() const
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    return shown ? drawnGrouping(*shown, m_bench.drawings.options().grouping) : Grouping::None;
}

void ViewController::choose(Grouping grouping)
{
    m_bench.drawings.setGrouping(grouping);
    showGrouping();
}

void ViewController::showGrouping()
{
    const Actions &a = m_bench.actions;
    const Grouping wanted = m_bench.drawings.options().grouping;
    const Grouping now = m_bench.navigator.shown() && drawn() != Grouping::None ? drawn() : wanted;
    (now == Grouping::Blocks      ? a.groupBlocks
     : now == Grouping::Subgraphs ? a.groupSubgraphs
     : now == Grouping::Modules   ? a.groupModules
     : now == Grouping::Fissions  ? a.groupFissions
                                  : a.groupNone)
        ->setChecked(true);
    Q_EMIT groupingShown(drawn());
    m_bench.edits.setGrouping(drawn());
}

void ViewController::chooseNext()
{
    constexpr std::array all{Grouping::Blocks, Grouping::Subgraphs, Grouping::Modules,
                             Grouping::Fissions, Grouping::None};
    const Snapshot &shown = *m_bench.navigator.shown();
    auto next = std::size_t(std::ranges::find(all, drawn()) - all.begin());
    do
        next = (next + 1) % all.size();
    while (all[next] != Grouping::None && !shown.has(all[next]));
    choose(all[next]);
}

bool ViewController::toggle(const Item &group)
{
    if (!group.isGroup() || m_bench.navigator.isInside() || groupingOf(group) != drawn())
        return false;
    m_bench.drawings.toggleCollapsed(group);
    return true;
}

/// Focuses on the selection, with the same distance as before.
void ViewController::focusOn(bool between)
{
    const std::vector<Item> &items = m_bench.selection.items();
    if (items.empty() || (between && items.size() < 2))
        return;
    Focus focus = m_bench.drawings.options().focus;
    focus.around = items;
    focus.between = between;
    m_bench.drawings.setFocus(std::move(focus));
}

void ViewController::changeSteps(int by)
{
    Focus focus = m_bench.drawings.options().focus;
    if (!focus || focus.between)
        return;
    focus.up = std::clamp(focus.up + by, 0, Focus::mostSteps);
    focus.down = std::clamp(focus.down + by, 0, Focus::mostSteps);
    m_bench.drawings.setFocus(std::move(focus));
}

void ViewController::updateActions()
{
    const Actions &a = m_bench.actions;
    const SnapshotPointer &snapshot = m_bench.session.snapshot(),
                          &shown = m_bench.navigator.shown();
    const Item item = m_bench.selection.item();
    // A nested graph has no groups of the plan.
    const bool blocks = shown && shown->blocks, partition = shown && shown->partition;
    for (QAction *action : a.needGroups())
        action->setEnabled(blocks || partition || (shown && (shown->modules || shown->fissions)));
    a.groupBlocks->setEnabled(blocks);
    a.groupSubgraphs->setEnabled(partition);
    a.groupModules->setEnabled(shown && shown->modules);
    a.groupFissions->setEnabled(shown && shown->fissions);
    a.colourBySubgraph->setEnabled(partition);
    a.openNested->setEnabled(shown && item.kind == Item::Kind::Node &&
                             !shown->facts->nestedIn(item.node()).empty());
    const Focus &focus = m_bench.drawings.options().focus;
    a.focus->setEnabled(shown && item);
    a.focusWays->setEnabled(shown && m_bench.selection.items().size() > 1);
    a.focusMore->setEnabled(focus && !focus.between);
    a.focusFewer->setEnabled(focus && !focus.between);
    a.focusAll->setEnabled(bool(focus));
    a.goUp->setEnabled(m_bench.navigator.isInside());
    a.goBack->setEnabled(m_bench.navigator.canGoBack());
    a.goForward->setEnabled(m_bench.navigator.canGoForward());
    // What is selected of the other plan may have no counterpart.
    const bool selected = item || m_bench.sides.selection(Side::Before).item();
    a.zoomSelection->setEnabled(snapshot && selected);
    a.clearSelection->setEnabled(snapshot && selected);
}

} // namespace graphloom
