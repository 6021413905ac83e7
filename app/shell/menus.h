// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QMainWindow;
class QMenu;

#include <vector>

namespace graphloom {

struct Actions;
class Workbench;

/// Menus of a window whose entries are not known from the start.
struct OpenMenus {
    QMenu *recent;
};

/// Fills the menu bar. `panels`: a command for each panel.
OpenMenus makeMenus(QMainWindow &window, const Workbench &bench,
                    const std::vector<QAction *> &panels);
void makeToolBar(QMainWindow &window, const Actions &actions);

/// The name of the tool bar as an object.
inline constexpr const char *toolBarName = "mainToolBar";

} // namespace graphloom
