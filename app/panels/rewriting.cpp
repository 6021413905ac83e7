// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/graph_canvas.h"
#include "app/panels/panel.h"
#include "app/rewrite/rewrite_panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows where rules were applied, with the graph before and after.
class RewritingDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(RewritingDock)

public:
    explicit RewritingDock(Workbench &bench)
        : Panel({QStringLiteral("rewriting"), tr("Rewrite log"), QStringLiteral("rewrite")},
                new RewritePanel),
          m_bench(bench), m_panel(static_cast<RewritePanel &>(widget()))
    {
        connect(&m_panel, &RewritePanel::stepChosen, this, &RewritingDock::drawStep);
        connect(&m_panel, &RewritePanel::stepActivated, this, &RewritingDock::selectStep);
    }

    void setSnapshot(const SnapshotPointer &shown) override
    {
        m_panel.setLog(shown ? shown->plan->rewrite : nullptr);
    }
    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see how rules rewrite its graph."), m_bench.actions.open};
        return {tr("Run a pass such as dnnfusion to see which rules were applied where, with the "
                   "graph before and after."),
                m_bench.actions.run};
    }
    std::vector<ViewExport> exports() override
    {
        return {{QStringLiteral("rewriting"), tr("Rewrite steps"), &m_panel,
                 [this] { return m_panel.picture(); }, tableOf(m_panel.steps())},
                {QStringLiteral("rules"),
                 tr("Applied rules"),
                 &m_panel.rules(),
                 {},
                 tableOf(m_panel.rules())}};
    }
    std::vector<QWidget *> exportedViews() override
    {
        return {&m_panel.before(), &m_panel.after()};
    }
    bool isBusy() const override { return m_drawer.isRunning(); }

private:
    void drawStep(int step)
    {
        const auto &log = m_panel.model().log();
        if (!log || step < 0) {
            m_drawer.abandon();
            m_panel.showPicture({});
            return;
        }
        m_drawer.announce(&m_bench.jobs, tr("Drawing the step"));
        m_drawer.start(
            [log, step, model = m_bench.session.snapshot()->plan->model](std::stop_token stop) {
                return pictureOf(model, log->steps[std::size_t(step)], stop);
            },
            [this](const StepPicture &picture) { m_panel.showPicture(picture); });
    }

    /// Selects the nodes that the step added and later steps kept.
    void selectStep(int step)
    {
        const auto &log = m_panel.model().log();
        if (!log || step < 0)
            return;
        m_bench.navigator.go({});
        std::vector<Item> items;
        for (const NodeId id : log->steps[std::size_t(step)].added)
            if (m_bench.navigator.shown()->graph().contains(id))
                items.push_back(Item::of(id));
        m_bench.selection.select(std::move(items));
    }

    Workbench &m_bench;
    RewritePanel &m_panel;
    Worker m_drawer; // last: see Session
};

} // namespace

PanelPointer panels::rewriting(Workbench &bench)
{
    return std::make_unique<RewritingDock>(bench);
}

} // namespace graphloom
