// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/partition_panel.h"
#include "app/panels/panel.h"
#include "app/widgets/histogram_view.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the subgraphs of the plan's partition.
class PartitionDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(PartitionDock)

public:
    explicit PartitionDock(Workbench &bench)
        : Panel({QStringLiteral("partition"), tr("Partition"), QStringLiteral("partition")},
                new PartitionPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<PartitionPanel &>(widget()))
    {
        m_panel.edits().setActions(bench.edits.ofGroups());
        connect(&bench.edits, &EditActions::checked, this,
                [this] { m_panel.edits().setLegality(m_bench.edits.legality()); });
        connect(&m_panel.edits(), &EditBar::causeWanted, &bench.edits, &EditActions::showCause);
        connect(&m_panel, &PartitionPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &PartitionPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&bench, &Workbench::previewed, &m_panel, &PartitionPanel::setSnapshot);
    }

    void setSnapshot(const SnapshotPointer &shown) override { m_panel.setSnapshot(shown); }
    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see the subgraphs of its partition."),
                    m_bench.actions.open};
        return {
            tr("Run a pass such as ago to see the subgraphs and the histogram of their weights."),
            m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("partition"), tr("Partition"), &m_panel,
                 [this] { return m_panel.histogram().picture(); }, tableOf(m_panel.list())}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.histogram()}; }

private:
    Workbench &m_bench;
    PartitionPanel &m_panel;
};

} // namespace

PanelPointer panels::partition(Workbench &bench)
{
    return std::make_unique<PartitionDock>(bench);
}

} // namespace graphloom
