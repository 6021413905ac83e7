// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/last_tabs.h"

#include <QSettings>

#include <algorithm>

namespace graphloom {

namespace {

const QString tabsKey = QStringLiteral("window/tabs"),
              frontTabKey = QStringLiteral("window/frontTab");

} // namespace

LastTabs lastTabsIn(const QSettings &settings)
{
    LastTabs tabs{settings.value(tabsKey).toStringList(), settings.value(frontTabKey).toInt()};
    tabs.front = std::clamp(tabs.front, 0, std::max(0, int(tabs.files.size()) - 1));
    return tabs;
}

void keep(const LastTabs &tabs, QSettings &settings)
{
    settings.setValue(tabsKey, tabs.files);
    settings.setValue(frontTabKey, tabs.front);
}

} // namespace graphloom
