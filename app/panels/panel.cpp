// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"

#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

namespace graphloom {

void Panel::showHint(const Hint &hint)
{
    if (auto *hinted = qobject_cast<HintedPanel *>(m_widget))
        hinted->setHint(hint.text, hint.action);
}

std::function<TableSource()> tableOf(FilteredTable &table)
{
    return [&table] { return sourceOf(table.filter()); };
}

std::vector<PanelPointer> makePanels(Workbench &bench)
{
    std::vector<PanelPointer> all;
#define GRAPHLOOM_PANEL(key) all.push_back(panels::key(bench));
#include "app/panels/panels.def"
#undef GRAPHLOOM_PANEL
    return all;
}

} // namespace graphloom
