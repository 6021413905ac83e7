// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QSettings;

namespace graphloom {

/// Holds what the tabs of a window showed when it was closed.
struct LastTabs {
    QStringList files; // in the order of the tabs
    int front = 0;     // of the tab that was shown, among the files
};

/// Returns the tabs that are in the settings. `front` is one of the files, if there are any.
LastTabs lastTabsIn(const QSettings &settings);
void keep(const LastTabs &tabs, QSettings &settings);

} // namespace graphloom
