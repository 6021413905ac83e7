// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace graphloom {

/// Tells whether a dock takes part in the layout of its window: it is neither closed nor floating.
/// It may be behind another tab.
bool isDocked(const QDockWidget &dock);
/// Returns the docks that are tabs of one place with a dock, itself included, if it is docked.
std::vector<QDockWidget *> docksOfPlace(QMainWindow &window, QDockWidget &dock);
/// Returns the bars whose tabs are docks.
std::vector<QTabBar *> dockTabBars(const QMainWindow &window);
/// Returns the dock of a tab, or null if there is no such tab.
QDockWidget *dockOfTab(const QTabBar &bar, int tab);
/// Returns the bar that has a visible tab for the dock, or null if the dock is alone in its place.
QTabBar *tabBarOf(const QMainWindow &window, const QDockWidget &dock);

} // namespace graphloom
