// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/fusion_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the fusion blocks of the plan.
class FusionDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(FusionDock)

public:
    explicit FusionDock(Workbench &bench)
        : Panel({QStringLiteral("fusion"), tr("Fusion blocks"), QStringLiteral("blocks")},
                new FusionPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<FusionPanel &>(widget()))
    {
        m_panel.edits().setActions(bench.edits.ofGroups());
        connect(&bench.edits, &EditActions::checked, this,
                [this] { m_panel.edits().setLegality(m_bench.edits.legality()); });
        connect(&m_panel.edits(), &EditBar::causeWanted, &bench.edits, &EditActions::showCause);
        connect(&m_panel, &FusionPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &FusionPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&bench, &Workbench::previewed, &m_panel, &FusionPanel::setSnapshot);
    }

    void setSnapshot(const SnapshotPointer &shown) override { m_panel.setSnapshot(shown); }
    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see its fusion blocks."), m_bench.actions.open};
        return {tr("Run a pass such as dnnfusion or ago to see the fusion blocks, what they save, "
                   "and why they are not larger."),
                m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {
            {QStringLiteral("fusion"), tr("Fusion blocks"), &m_panel, {}, tableOf(m_panel.list())}};
    }

private:
    Workbench &m_bench;
    FusionPanel &m_panel;
};

} // namespace

PanelPointer panels::fusion(Workbench &bench)
{
    return std::make_unique<FusionDock>(bench);
}

} // namespace graphloom
