// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "app/runs/run_panel.h"
#include "app/runs/search_view.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Lists all runs of passes, with their searches and results.
class RunsDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(RunsDock)

public:
    explicit RunsDock(Workbench &bench)
        : Panel({QStringLiteral("runs"), tr("Runs"), QStringLiteral("runs")}, new RunPanel),
          m_bench(bench), m_panel(static_cast<RunPanel &>(widget()))
    {
        const Actions &a = bench.actions;
        m_panel.setActions({a.takeRun, a.holdRun, a.stopRun, a.compareRun, a.removeRun});
        PassController &passes = bench.passes;
        passes.choices.runs = [this] { return m_panel.chosen(); };
        connect(&passes, &PassController::runChanged, &m_panel, &RunPanel::set);
        connect(&passes, &PassController::runRemoved, &m_panel, &RunPanel::remove);
        connect(&m_panel, &RunPanel::choiceChanged, &passes, &PassController::updateActions);
        connect(&m_panel, &RunPanel::activated, &passes, &PassController::take);
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model and run a pass to see its runs."), m_bench.actions.open};
        return {tr("Run a pass to see its parameters, the progress of its search, and its result."),
                m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        const auto curve = [this] { return m_panel.drawnSearch().picture(); };
        return {{QStringLiteral("runs"), tr("Runs"), &m_panel, curve, tableOf(m_panel.list())},
                {QStringLiteral("search"), tr("Best cost over time"), &m_panel.search(), curve,
                 [this] { return sourceOf(m_panel.drawnSearch().history()); }},
                {QStringLiteral("rejected"),
                 tr("Rejected candidates"),
                 &m_panel.reasons(),
                 {},
                 tableOf(m_panel.reasons())}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.search()}; }

private:
    Workbench &m_bench;
    RunPanel &m_panel;
};

} // namespace

PanelPointer panels::runs(Workbench &bench)
{
    return std::make_unique<RunsDock>(bench);
}

} // namespace graphloom
