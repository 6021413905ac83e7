// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/help/key_model.h"

class QAction;
class QKeySequence;
class QMainWindow;

namespace graphloom {

/// Returns the text of an action as it is displayed, without the mnemonic's ampersand.
QString plainTextOf(const QAction &action);

/// Returns keys as they are displayed: "Ctrl+Shift+Z, Ctrl+Y".
QString textOf(const QList<QKeySequence> &keys);

/// Returns the commands of a window with their keys, by the menus they are in, then the keys that
/// its views handle themselves. The list is generated from the actions and the views.
std::vector<KeyRow> keyRowsOf(const QMainWindow &window, const std::vector<QAction *> &commands);

} // namespace graphloom
