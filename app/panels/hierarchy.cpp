// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/hierarchy_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows modules, blocks, subgraphs and regions as trees.
class HierarchyDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(HierarchyDock)

public:
    explicit HierarchyDock(Workbench &bench)
        : Panel({QStringLiteral("hierarchy"), tr("Hierarchy"), QStringLiteral("hierarchy"),
                 Spot::LeftBottom},
                new HierarchyPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<HierarchyPanel &>(widget()))
    {
        connect(&m_panel, &HierarchyPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &HierarchyPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&m_panel, &HierarchyPanel::collapseWanted, this,
                [this](const Item &group, bool collapsed) {
                    if (groupingOf(group) != m_bench.view.drawn())
                        m_bench.view.choose(groupingOf(group)); // so that the effect is visible
                    m_bench.drawings.setCollapsed(group, collapsed);
                });
        const auto follow = [this] { m_panel.setCollapsed(m_bench.drawings.options().collapsed); };
        connect(&bench.drawings, &DrawingController::optionsChanged, this, follow);
        connect(&bench.view, &ViewController::groupingShown, this,
                [this, follow](Grouping grouping) {
                    follow();
                    m_panel.setGrouping(grouping);
                });
        connect(&bench.colours, &ColourController::ownDataChanged, this,
                [this] { m_panel.setOwnData(m_bench.colours.ownTable()); });
    }

    void setSnapshot(const SnapshotPointer &shown) override { m_panel.setSnapshot(shown); }
    Hint hint() const override
    {
        const Actions &a = m_bench.actions;
        if (m_bench.navigator.isInside())
            return {tr("These are the groups of the model's main graph."), a.goUp};
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see its modules, blocks and subgraphs as trees."), a.open};
        return {tr("The node names of this model do not identify modules. Run a pass to see "
                   "blocks, subgraphs and fission regions."),
                a.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("hierarchy"), tr("Hierarchy"), &m_panel, {}, [this] {
                     return sourceOf(m_panel.model());
                 }}};
    }

private:
    Workbench &m_bench;
    HierarchyPanel &m_panel;
};

} // namespace

PanelPointer panels::hierarchy(Workbench &bench)
{
    return std::make_unique<HierarchyDock>(bench);
}

} // namespace graphloom
