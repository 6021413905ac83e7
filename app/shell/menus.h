// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QMainWindow;
class QMenu;

#include <vector>

namespace graphloom {

struct Actions;
class Workbench;

/// Holds the menus of a window whose entries change.
struct OpenMenus {
    QMenu *recent, *openModels;
};

/// Fills the menu bar. `panels` holds a command for each panel.
OpenMenus makeMenus(QMainWindow &window, Workbench &bench, const std::vector<QAction *> &panels);
void makeToolBar(QMainWindow &window, Workbench &bench);

/// Object name of the toolbar.
inline constexpr const char *toolBarName = "mainToolBar";

} // namespace graphloom
