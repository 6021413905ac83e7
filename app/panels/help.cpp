// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_view.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

#include <QSettings>

namespace graphloom {

namespace {

/// Shows the help pages.
class HelpDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(HelpDock)

public:
    explicit HelpDock(Workbench &bench)
        : Panel({QStringLiteral("help"), tr("Help"), QStringLiteral("help"), Spot::Right, true},
                new HelpView(bench.options.plugins)),
          m_view(static_cast<HelpView &>(widget()))
    {
        const auto opens = [this, &bench](QAction *action, const QString &page) {
            connect(action, &QAction::triggered, this, [this, &bench, page] {
                m_view.showPage(page);
                Q_EMIT bench.panelWanted(QStringLiteral("help"));
            });
        };
        opens(bench.actions.help, QStringLiteral("index"));
        opens(bench.actions.glossary, QStringLiteral("glossary"));
    }

    void restore(const QSettings &settings) override
    {
        m_view.setFirstPage(settings.value(pageKey).toString());
    }
    void save(QSettings &settings) const override { settings.setValue(pageKey, m_view.page()); }

private:
    static constexpr const char *pageKey = "help/page";
    HelpView &m_view;
};

} // namespace

PanelPointer panels::help(Workbench &bench)
{
    return std::make_unique<HelpDock>(bench);
}

} // namespace graphloom
