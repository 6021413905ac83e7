// SPDX-License-Identifier: GPL-3.0-or-later
// What part of the graph the window shows: groups that are open or closed, and neighbourhoods.
#include "app/shell/main_window.h"

#include "app/graph/canvas_page.h"
#include "app/graph/focus_bar.h"
#include "app/nodes/hierarchy_panel.h"

#include <algorithm>

namespace graphloom {

void MainWindow::connectView()
{
    const Actions &a = *m_actions;
    for (std::uint32_t level = 0; level < a.levels.size(); ++level)
        connect(a.levels[level], &QAction::triggered, this,
                [this, level] { m_drawings.showLevels(level); });
    connect(a.onlyWay, &QAction::triggered, this, [this] {
        if (m_selection.item())
            m_drawings.showOnlyWayTo(m_selection.item());
    });
    connect(m_hierarchy, &HierarchyPanel::activated, this, &MainWindow::activate);
    connect(m_hierarchy, &HierarchyPanel::menuRequested, this, &MainWindow::showMenu);
    connect(m_hierarchy, &HierarchyPanel::collapseWanted, this,
            [this](const Item &group, bool collapsed) {
                if (groupingOf(group) != drawn())
                    chooseGrouping(groupingOf(group)); // to see what it does
                m_drawings.setCollapsed(group, collapsed);
            });
    connect(&m_drawings, &DrawingController::optionsChanged, this,
            [this] { m_hierarchy->setCollapsed(m_drawings.options().collapsed); });

    connect(a.focus, &QAction::triggered, this, [this] { focusOn(false); });
    connect(a.focusWays, &QAction::triggered, this, [this] { focusOn(true); });
    connect(a.focusMore, &QAction::triggered, this, [this] { changeSteps(1); });
    connect(a.focusFewer, &QAction::triggered, this, [this] { changeSteps(-1); });
    const auto showAll = [this] { m_drawings.setFocus({}); };
    connect(a.focusAll, &QAction::triggered, this, showAll);
    connect(&m_page->canvas(), &GraphCanvas::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::allWanted, this, showAll);
    connect(&m_page->focusBar(), &FocusBar::focusWanted, &m_drawings, &DrawingController::setFocus);
    connect(&m_drawings, &DrawingController::optionsChanged, this, &MainWindow::updateActions);
}

/// On what is selected, with as many steps as before.
void MainWindow::focusOn(bool between)
{
    if (m_selection.items().empty() || (between && m_selection.items().size() < 2))
        return;
    Focus focus = m_drawings.options().focus;
    focus.around = m_selection.items();
    focus.between = between;
    m_drawings.setFocus(std::move(focus));
}

void MainWindow::changeSteps(int by)
{
    Focus focus = m_drawings.options().focus;
    if (!focus || focus.between)
        return;
    focus.up = std::clamp(focus.up + by, 0, FocusBar::mostSteps);
    focus.down = std::clamp(focus.down + by, 0, FocusBar::mostSteps);
    m_drawings.setFocus(std::move(focus));
}

} // namespace graphloom
