// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/pareto/pareto_view.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the plans that trade latency for memory.
class ParetoDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(ParetoDock)

public:
    explicit ParetoDock(Workbench &bench)
        : Panel({QStringLiteral("pareto"), tr("Pareto"), QStringLiteral("pareto")},
                new ParetoPanel),
          m_bench(bench), m_panel(static_cast<ParetoPanel &>(widget()))
    {
        connect(&m_panel, &ParetoPanel::pointActivated, &bench.passes, &PassController::loadPoint);
        connect(&m_panel, &ParetoPanel::runActivated, &bench.deviceJobs, &DeviceJobs::apply);
        connect(&bench.passes, &PassController::objectiveChanged, &m_panel,
                &ParetoPanel::setObjective);
        connect(&bench, &Workbench::previewed, this,
                [this](const SnapshotPointer &, const SnapshotPointer &own) {
                    m_panel.setSnapshot(own);
                });
        connect(&bench.kernels, &KernelController::runsChanged, this,
                [this] { m_panel.setRuns(m_bench.kernels.runs()); });
        connect(&bench.comparison, &ComparisonController::changed, this, [this] {
            const PlanDifferencePointer &difference = m_bench.comparison.difference();
            if (difference && difference->before->memory)
                m_panel.setOthers({{difference->nameBefore, difference->before}});
            else
                m_panel.setOthers({});
        });
    }

    void setSnapshot(const SnapshotPointer &) override
    {
        m_panel.setSnapshot(m_bench.session.snapshot());
    }
    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to compare its plans by latency and memory."),
                    m_bench.actions.open};
        return {tr("Run a pass such as magis to see the plans that trade latency for memory, or "
                   "measure plans on several devices."),
                m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("pareto"), tr("Latency and memory of plans"), &m_panel,
                 [this] { return m_panel.view().picture(); }, tableOf(m_panel.list())}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.view()}; }

private:
    Workbench &m_bench;
    ParetoPanel &m_panel;
};

} // namespace

PanelPointer panels::pareto(Workbench &bench)
{
    return std::make_unique<ParetoDock>(bench);
}

} // namespace graphloom
