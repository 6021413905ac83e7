// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fission/fission_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the F-Tree of the plan.
class FissionsDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(FissionsDock)

public:
    explicit FissionsDock(Workbench &bench)
        : Panel({QStringLiteral("fissions"), tr("F-Tree"), QStringLiteral("fissions")},
                new FissionPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<FissionPanel &>(widget()))
    {
        FissionActions &edits = bench.fissionEdits;
        m_panel.edits().setActions(edits.all());
        connect(&m_panel, &FissionPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &FissionPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&m_panel, &FissionPanel::fissionChanged, this,
                [this] { m_bench.fissionEdits.setFission(m_panel.fission()); });
        connect(&edits, &FissionActions::checked, this,
                [this] { m_panel.edits().setLegality(m_bench.fissionEdits.legality()); });
        connect(&m_panel.edits(), &EditBar::causeWanted, &edits, &FissionActions::showCause);
    }

    void setSnapshot(const SnapshotPointer &) override
    {
        m_panel.setSnapshot(m_bench.session.snapshot());
    }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see the F-Tree of its plan."), m_bench.actions.open};
        return {tr("Run a pass such as magis to see the regions that can run in parts, what each "
                   "one saves, and which ones are enabled."),
                m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("fissions"),
                 tr("Fission regions"),
                 &m_panel,
                 {},
                 tableOf(m_panel.list())}};
    }

private:
    Workbench &m_bench;
    FissionPanel &m_panel;
};

} // namespace

PanelPointer panels::fissions(Workbench &bench)
{
    return std::make_unique<FissionsDock>(bench);
}

} // namespace graphloom
