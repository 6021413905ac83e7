// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_panel.h"
#include "app/lanes/lanes_maker.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

#include <QAction>
#include <QSettings>

namespace graphloom {

namespace {

/// Shows what each thread did in a run of the plan, and of what it was compared with.
class TimelineDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(TimelineDock)

public:
    explicit TimelineDock(Workbench &bench)
        : Panel({QStringLiteral("timeline"), tr("Kernel timeline"), QStringLiteral("timeline")},
                new LanePanel(bench.selection, bench.actions.runBesideOriginal)),
          m_bench(bench), m_panel(static_cast<LanePanel &>(widget()))
    {
        m_maker.setJobs(&bench.jobs);
        connect(&bench.kernels, &KernelController::runsChanged, this, &TimelineDock::make);
        connect(&m_compute, &QAction::triggered, this, &TimelineDock::make);
        connect(&m_maker, &LanesMaker::ready, this, [this](const LanesPointer &lanes) {
            m_lanes = lanes;
            show();
        });
        connect(&m_panel, &LanePanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &LanePanel::menuRequested, &bench, &Workbench::menuWanted);
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to see what each thread does while it runs on this machine."),
                    m_bench.actions.open};
        if (m_maker.isRunning())
            return {tr("The timeline of the run is being computed.")};
        if (m_bench.kernels.shownRun() && m_maker.isMissing())
            return {tr("No timeline: its computation was cancelled."), &m_compute};
        if (m_bench.kernels.shownRun())
            return {tr("The last run has no times of single kernels, such as one that was stopped. "
                       "Run the plan again to see a timeline."),
                    m_bench.actions.runBesideOriginal};
        return {tr("Benchmark the plan against the original to see what each thread does, and "
                   "where time is lost, before and after fusion."),
                m_bench.actions.runBesideOriginal};
    }
    std::vector<ViewExport> exports() override
    {
        const auto lanes = [this] { return m_panel.picture(); };
        return {{QStringLiteral("timeline"), tr("Kernel timeline"), &m_panel, lanes,
                 tableOf(m_panel.list())}};
    }
    std::vector<QWidget *> exportedViews() override { return {&m_panel.view()}; }

    void restore(const QSettings &settings) override
    {
        m_panel.setColours(settings.value(mappingsKey).toBool() ? LaneColours::Mappings
                                                                : LaneColours::Classes);
    }
    void save(QSettings &settings) const override
    {
        settings.setValue(mappingsKey, m_panel.colours() == LaneColours::Mappings);
    }
    bool isBusy() const override { return m_maker.isRunning(); }

private:
    inline static const QString mappingsKey = QStringLiteral("timeline/mappings");

    void make()
    {
        m_maker.setRun(m_bench.kernels.shownRun());
        show();
    }
    /// Shows the lanes of the run that other panels show, as soon as they are made.
    void show()
    {
        const KernelController &kernels = m_bench.kernels;
        const PlanRunPointer current = kernels.currentRun(), shown = kernels.shownRun();
        const bool linked = current && !m_bench.navigator.isInside();
        m_panel.setLanes(m_lanes && m_lanes->of == shown ? m_lanes : nullptr,
                         linked ? m_bench.navigator.shown() : nullptr, shown != current);
        showHint(hint());
    }

    Workbench &m_bench;
    LanePanel &m_panel;
    mutable QAction m_compute{tr("Compute the timeline")}; // a hint offers it
    LanesPointer m_lanes;
    LanesMaker m_maker;
};

} // namespace

PanelPointer panels::timeline(Workbench &bench)
{
    return std::make_unique<TimelineDock>(bench);
}

} // namespace graphloom
