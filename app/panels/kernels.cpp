// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_panel.h"
#include "app/kernels/roofline_view.h"
#include "app/kernels/source_view.h"
#include "app/panels/panel.h"
#include "app/preferences/defaults.h"
#include "app/tuning/tuning_panel.h"
#include "app/tuning/tuning_view.h"
#include "app/workbench/workbench.h"

#include <QSettings>

#include <cmath>

namespace graphloom {

namespace {

const QString machineCodeKey = QStringLiteral("kernels/machineCode");

/// Returns what compiles kernels for the device of their run.
CodeCompiler compilerFor(std::vector<TargetPlugin> targets)
{
    return [targets = std::move(targets)](const PlanRun &run, const std::string &symbol,
                                          std::stop_token stop) -> Result<KernelCode> {
        const std::string name = nameOf(run.outcome);
        const auto chosen = findChosen(targets, name);
        if (!chosen)
            return fail(Error::Kind::Missing, "no target here knows this device", name);
        BuildOptions options;
        options.device = chosen->device;
        options.threads = run.outcome.threads;
        options.stop = std::move(stop);
        return chosen->target->compiledCode(run.sources, symbol, options);
    };
}

/// Shows the times of the plan's kernels on this machine, their code and the trials of the tuner.
class KernelsDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(KernelsDock)

public:
    explicit KernelsDock(Workbench &bench)
        : Panel({QStringLiteral("kernels"), tr("Kernels"), QStringLiteral("code")},
                new KernelPanel(bench.selection, bench.actions.runHere, bench.actions.tuneHere,
                                bench.actions.cancel)),
          m_bench(bench), m_panel(static_cast<KernelPanel &>(widget()))
    {
        KernelController &kernels = bench.kernels;
        kernels.choices.run = [this] { return m_panel.options(); };
        kernels.choices.limits = [this] { return m_panel.limits(); };
        kernels.choices.log = [this] { return m_panel.tuning().log(); };
        m_panel.source().setCompiler(compilerFor(bench.options.targets));
        connect(&m_panel, &KernelPanel::activated, &bench, &Workbench::activated);
        connect(&m_panel, &KernelPanel::menuRequested, &bench, &Workbench::menuWanted);
        connect(&kernels, &KernelController::runsChanged, this, &KernelsDock::showRun);
        connect(&kernels, &KernelController::ran, this,
                [this] { m_panel.showList(KernelPanel::List::Kernels); });
        connect(&kernels, &KernelController::forgotten, this,
                [this] { m_panel.beginTuning(nullptr); });
        connect(&kernels, &KernelController::trialsRestored, this,
                [this](const std::shared_ptr<const TuningTrials> &trials) {
                    m_panel.beginTuning(trials->plan);
                    m_panel.tuning().add(trials->trials);
                    m_panel.tuning().setState(
                        tr("Measured %1").arg(originText(trials->at).toHtmlEscaped()));
                });
        connect(&kernels, &KernelController::tuningStarted, this, [this] {
            m_panel.beginTuning(m_bench.kernels.tuner().plan());
            m_panel.tuning().setState(tr("Building and measuring the plan before tuning"));
            Q_EMIT m_bench.panelWanted(facts().key);
            Q_EMIT m_bench.heightWanted(facts().key, leastHeight);
        });
        connect(&kernels, &KernelController::tuningState, this,
                [this](const QString &state) { m_panel.tuning().setState(state); });
        connect(&kernels, &KernelController::tried, this, &KernelsDock::showTrials);
        connect(&bench, &Workbench::defaultsChanged, this, &KernelsDock::follow);
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(*theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to measure its kernels on this machine."),
                    m_bench.actions.open};
        return {tr("Run the plan on this machine to see the time and the code of each kernel, and "
                   "the roofline."),
                m_bench.actions.runHere};
    }
    void showHint(const Hint &hint) override { m_panel.setHint(hint.text, hint.action); }
    std::vector<ViewExport> exports() override
    {
        TuningPanel &tuning = m_panel.tuning();
        const auto roofs = [this] { return m_panel.roofline().picture(); };
        const auto trials = [&tuning] { return tuning.picture(); };
        return {
            {QStringLiteral("kernels"), tr("Kernels"), &m_panel, roofs, tableOf(m_panel.list())},
            {QStringLiteral("roofline"), tr("Roofline"), &m_panel.roofline(), roofs,
             tableOf(m_panel.list())},
            {QStringLiteral("tuning"), tr("Tuning trials"), &tuning, trials,
             tableOf(tuning.list())},
            {QStringLiteral("trials"), tr("Table of trials"), &tuning.list(), trials,
             tableOf(tuning.list())}};
    }
    std::vector<QWidget *> exportedViews() override
    {
        return {&m_panel.roofline(), &m_panel.tuning().view()};
    }

    void restore(const QSettings &settings) override
    {
        setFields(defaultsIn(settings));
        m_panel.source().setShowsMachineCode(settings.value(machineCodeKey, false).toBool());
    }
    void save(QSettings &settings) const override
    {
        keep(withFields(defaultsIn(settings)), settings);
        settings.setValue(machineCodeKey, m_panel.source().showsMachineCode());
    }

private:
    void setFields(const Defaults &defaults)
    {
        m_panel.setOptions(defaults.run);
        m_panel.setLimits(defaults.tuning);
    }
    /// Returns the defaults with what the fields have.
    Defaults withFields(Defaults defaults) const
    {
        defaults.run = m_panel.options();
        defaults.tuning = m_panel.limits();
        return defaults;
    }
    void follow(const Defaults &before, const Defaults &now)
    {
        setFields(followed(withFields({}), before, now));
    }

    static constexpr int leastHeight = 380; // below it the plot of trials does not fit

    /// Shows the run of the current plan, or else the last run, marked as such.
    void showRun()
    {
        const PlanRunPointer current = m_bench.kernels.currentRun();
        const PlanRunPointer shown = m_bench.kernels.shownRun();
        m_panel.setRun(shown,
                       shown == current ? KernelPanel::State::Current : KernelPanel::State::Stale,
                       current && !m_bench.navigator.isInside());
    }

    void showTrials(const std::vector<TuningTrial> &trials)
    {
        TuningPanel &panel = m_panel.tuning();
        KernelController &kernels = m_bench.kernels;
        panel.add(trials);
        kernels.listTrials(panel.log());
        const auto left = kernels.tuner().secondsLeft();
        const PassRun *run = kernels.tuningRun();
        if (!left || !kernels.tuner().isRunning() || !run)
            return;
        QString state =
            run->state == PassRun::State::Held ? tr("paused, %1 s left") : tr("%1 s left");
        state = state.arg(std::ceil(*left));
        if (!panel.log().isEmpty()) {
            const TuningTrial &last = panel.log().trials().back().what;
            state = tr("Tuning block %1, %2 · %3")
                        .arg(TrialModel::nameOf(last.place),
                             panel.model().operatorsOf(last.place.block).toHtmlEscaped(), state);
        }
        panel.setState(state);
    }

    Workbench &m_bench;
    KernelPanel &m_panel;
};

} // namespace

PanelPointer panels::kernels(Workbench &bench)
{
    return std::make_unique<KernelsDock>(bench);
}

} // namespace graphloom
