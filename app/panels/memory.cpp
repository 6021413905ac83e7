// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_panel.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

namespace graphloom {

namespace {

/// Shows the tensors in memory at each step of the schedule.
class MemoryDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(MemoryDock)

public:
    explicit MemoryDock(Workbench &bench)
        : Panel({QStringLiteral("memory"), tr("Memory"), QStringLiteral("memory")},
                new MemoryPanel(bench.selection)),
          m_bench(bench), m_panel(static_cast<MemoryPanel &>(widget()))
    {
        connect(&bench.timelines, &TimelineMaker::ready, &m_panel, &MemoryPanel::setTimelines);
        connect(&m_panel, &MemoryPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &MemoryPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&bench.comparison, &ComparisonController::changed, this, [this] {
            const PlanDifferencePointer &difference = m_bench.comparison.difference();
            m_panel.setCompared(difference ? difference->timeline : nullptr,
                                difference ? difference->nameBefore : QString());
        });
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see which tensors are in memory at each step, and run a "
                       "pass such as magis to see what it changes."),
                    m_bench.actions.open};
        return {tr("No step of this graph uses memory.")};
    }
    std::vector<ViewExport> exports() override
    {
        const auto memory = [this] { return m_panel.picture(); };
        const auto tensors = [this] { return m_panel.tensorSource(); };
        return {{QStringLiteral("memory"), tr("Memory timeline"), &m_panel, memory, tensors},
                {QStringLiteral("tensors"), tr("Tensors in memory"), &m_panel.tensorTable(), memory,
                 tensors},
                {QStringLiteral("steps"), tr("Memory by step"), &m_panel.stepTable(), memory,
                 [this] { return m_panel.stepSource(); }}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.view()}; }

private:
    Workbench &m_bench;
    MemoryPanel &m_panel;
};

} // namespace

PanelPointer panels::memory(Workbench &bench)
{
    return std::make_unique<MemoryDock>(bench);
}

} // namespace graphloom
