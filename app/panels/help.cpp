// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_view.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the help pages.
class HelpDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(HelpDock)

public:
    explicit HelpDock(Workbench &bench)
        : Panel({QStringLiteral("help"), tr("Help"), Spot::Right, true},
                new HelpView(bench.options.plugins))
    {
        auto &view = static_cast<HelpView &>(widget());
        const auto opens = [this, &bench, &view](QAction *action, const QString &page) {
            connect(action, &QAction::triggered, this, [&bench, &view, page] {
                view.showPage(page);
                Q_EMIT bench.panelWanted(QStringLiteral("help"));
            });
        };
        opens(bench.actions.help, QStringLiteral("index"));
        opens(bench.actions.glossary, QStringLiteral("glossary"));
    }
};

} // namespace

PanelPointer panels::help(Workbench &bench)
{
    return std::make_unique<HelpDock>(bench);
}

} // namespace graphloom
