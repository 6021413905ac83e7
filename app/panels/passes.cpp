// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/format.h"
#include "app/panels/panel.h"
#include "app/preferences/defaults.h"
#include "app/rewrite/rewrite_model.h"
#include "app/runs/objective_form.h"
#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/workbench/workbench.h"
#include "engine/pass/graph_change.h"

#include <QSettings>

namespace graphloom {

namespace {

/// Chooses a pass and its settings, and shows its progress.
class PassesDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(PassesDock)

public:
    explicit PassesDock(Workbench &bench)
        : Panel({QStringLiteral("passes"), tr("Passes"), QStringLiteral("sliders"), Spot::LeftTop},
                new PassPanel(bench.options.plugins, bench.actions.run, bench.actions.hold,
                              bench.actions.cancel, bench.actions.take)),
          m_bench(bench), m_panel(static_cast<PassPanel &>(widget()))
    {
        PassController &passes = bench.passes;
        passes.choices.pass = [this] { return m_panel.pass(); };
        passes.choices.request = [this] { return m_panel.request(); };
        connect(&passes, &PassController::started, this, [this] { m_panel.setRunning(true); });
        connect(&passes, &PassController::progress, &m_panel, &PassPanel::setProgress);
        // In an event of its own, as that of the new plan takes long.
        const auto end = [this] {
            if (!m_bench.session.isRunning())
                m_panel.setRunning(false);
        };
        connect(&passes, &PassController::finished, this, end, Qt::QueuedConnection);
        connect(&passes, &PassController::recordShown, &m_panel, &PassPanel::setSummary);
        connect(&m_panel, &PassPanel::passChanged, &bench, &Workbench::updateActions);
        const auto tellObjective = [this, &bench] {
            const bool used = m_panel.pass() && m_panel.pass()->usesObjective();
            Q_EMIT bench.passes.objectiveChanged(used ? m_panel.objective().objective()
                                                      : Objective());
        };
        connect(&m_panel, &PassPanel::passChanged, this, &PassesDock::showLoss);
        connect(&m_panel, &PassPanel::settingsChanged, this, &PassesDock::showLoss);
        connect(&m_panel, &PassPanel::passChanged, this, tellObjective);
        connect(&m_panel.objective(), &ObjectiveForm::changed, this, tellObjective);
        connect(&bench, &Workbench::defaultsChanged, this, &PassesDock::follow);
        connect(&m_panel, &PassPanel::wasReset, this,
                [this] { setFields(defaultsIn(*m_bench.settings)); });
    }

    void setSnapshot(const SnapshotPointer &shown) override
    {
        m_shown = shown;
        showLoss();
        m_panel.setFired(shown && shown->plan->rewrite ? timesFired(*shown->plan->rewrite)
                                                       : std::map<std::string, std::size_t>());
    }

    void restore(const QSettings &settings) override
    {
        m_panel.setAdvancedShown(settings.value(QStringLiteral("passes/advanced")).toBool());
        const Defaults defaults = defaultsIn(settings);
        m_panel.choose(defaults.pass.toStdString());
        setFields(defaults);
    }
    void save(QSettings &settings) const override
    {
        settings.setValue(QStringLiteral("passes/advanced"), m_panel.isAdvancedShown());
    }

private:
    /// Leaves alone what the user has set here, unless its default is another one than before.
    void follow(const Defaults &before, const Defaults &now)
    {
        if (now.pass != before.pass)
            m_panel.choose(now.pass.toStdString());
        if (now.seconds != before.seconds)
            m_panel.setSeconds(now.seconds);
        if (now.seed != before.seed)
            m_panel.objective().setSeed(now.seed);
        if (now.threads != before.threads)
            m_panel.objective().setThreads(now.threads);
    }

    void setFields(const Defaults &defaults)
    {
        m_panel.setSeconds(defaults.seconds);
        m_panel.objective().setSeed(defaults.seed);
        m_panel.objective().setThreads(defaults.threads);
    }

    void showLoss()
    {
        const PassForm *form = m_panel.form();
        m_panel.setLoss(form && m_shown
                            ? fromUtf8(lossBy(form->pass(), form->settings(), *m_shown->plan))
                            : QString());
    }

    Workbench &m_bench;
    PassPanel &m_panel;
    SnapshotPointer m_shown;
};

} // namespace

PanelPointer panels::passes(Workbench &bench)
{
    return std::make_unique<PassesDock>(bench);
}

} // namespace graphloom
