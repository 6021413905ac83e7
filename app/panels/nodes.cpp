// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodes/node_list_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Lists all nodes of the current graph with their figures.
class NodesDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(NodesDock)

public:
    explicit NodesDock(Workbench &bench)
        : Panel({QStringLiteral("nodes"), tr("Nodes"), QStringLiteral("list"), Spot::LeftBottom},
                new NodeListPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<NodeListPanel &>(widget()))
    {
        m_panel.setJobs(&bench.jobs);
        connect(&m_panel, &NodeListPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &NodeListPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&bench.colours, &ColourController::changed, this,
                [this] { m_panel.setMetric(m_bench.colours.metric()); });
        connect(&bench.colours, &ColourController::ownDataChanged, this,
                [this] { m_panel.setOwnData(m_bench.colours.ownTable()); });
    }

    void setSnapshot(const SnapshotPointer &shown) override { m_panel.setSnapshot(shown); }
    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to list its nodes with their shapes and costs."),
                    m_bench.actions.open};
        return {
            tr("This graph has no nodes: its outputs are constants or come from the parent graph."),
            m_bench.navigator.isInside() ? m_bench.actions.goUp : nullptr};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("nodes"), tr("Nodes"), &m_panel, {}, tableOf(m_panel.list())}};
    }
    bool isBusy() const override { return m_panel.isFiltering(); }

private:
    Workbench &m_bench;
    NodeListPanel &m_panel;
};

} // namespace

PanelPointer panels::nodes(Workbench &bench)
{
    return std::make_unique<NodesDock>(bench);
}

} // namespace graphloom
