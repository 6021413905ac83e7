// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/help/key_model.h"

class QAction;
class QMainWindow;

namespace graphloom {

/// The text of an action as a reader sees it: without the sign of its mnemonic.
QString plainTextOf(const QAction &action);

/// The commands of a window with their keys, by the menus they are in, then the keys that its views
/// handle themselves. Made of the actions and the views: there is no other list.
std::vector<KeyRow> keyRowsOf(const QMainWindow &window, const std::vector<QAction *> &commands);

} // namespace graphloom
