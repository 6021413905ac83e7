// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/dock_areas.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>

namespace graphloom {

bool isDocked(const QDockWidget &dock)
{
    return !dock.isHidden() && !dock.isFloating();
}

std::vector<QDockWidget *> docksOfPlace(QMainWindow &window, QDockWidget &dock)
{
    std::vector<QDockWidget *> docks;
    if (!isDocked(dock))
        return docks;
    docks.push_back(&dock);
    for (QDockWidget *other : window.tabifiedDockWidgets(&dock))
        if (isDocked(*other))
            docks.push_back(other);
    return docks;
}

std::vector<QTabBar *> dockTabBars(const QMainWindow &window)
{
    const auto bars = window.findChildren<QTabBar *>(Qt::FindDirectChildrenOnly);
    return {bars.begin(), bars.end()};
}

QDockWidget *dockOfTab(const QTabBar &bar, int tab)
{
    // Qt keeps the dock of a tab as a number in the tab's data.
    const auto wanted = bar.tabData(tab).value<quintptr>();
    for (QDockWidget *dock :
         bar.parentWidget()->findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly))
        if (reinterpret_cast<quintptr>(dock) == wanted)
            return dock;
    return nullptr;
}

QTabBar *tabBarOf(const QMainWindow &window, const QDockWidget &dock)
{
    for (QTabBar *bar : dockTabBars(window))
        for (int tab = 0; tab < bar->count() && bar->isVisibleTo(&window); ++tab)
            if (dockOfTab(*bar, tab) == &dock)
                return bar;
    return nullptr;
}

} // namespace graphloom
