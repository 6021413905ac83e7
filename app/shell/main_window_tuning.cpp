// SPDX-License-Identifier: GPL-3.0-or-later
// How the window tunes kernels on this machine: the plan is measured as it is, schedules are tried,
// the best ones become an edit of the plan, and both plans are measured in turns.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/kernels/kernel_panel.h"
#include "app/run/target_run.h"
#include "app/tuning/tuning_panel.h"

#include <QDockWidget>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr int leastHeight = 380; // of the panel: below it there is no room for the plot

/// Is there a kernel of which the tuner knows more than before it began?
bool saysAnything(const KernelPlan &kernels)
{
    return std::ranges::any_of(kernels.blocks, [](const std::vector<NestKernel> &block) {
        return std::ranges::any_of(block, [](const NestKernel &nest) {
            return nest.trials > 0 || nest.time || !nest.schedule.empty();
        });
    });
}

} // namespace

void MainWindow::connectTuning()
{
    connect(m_actions->tuneHere, &QAction::triggered, this, &MainWindow::tuneHere);
    connect(&m_tuner, &KernelTuner::started, this, [this] {
        m_kernels->beginTuning(m_tuner.plan());
        m_kernels->tuning().setState(tr("The plan is built and measured as it is"));
        raiseDock(QStringLiteral("kernels"));
        if (QDockWidget &panel = dock(QStringLiteral("kernels")); panel.height() < leastHeight)
            resizeDocks({&panel}, {leastHeight}, Qt::Vertical);
        m_tuningRun.begin(m_session.snapshot());
        updateActions();
    });
    connect(&m_tuner, &KernelTuner::measured, this, &MainWindow::keepRun);
    connect(&m_tuner, &KernelTuner::tried, this, &MainWindow::showTrials);
    connect(&m_tuner, &KernelTuner::failed, this, [this](const Error &error) {
        const QString text = tr("Cannot tune kernels: %1").arg(fromUtf8(error.text()));
        m_kernels->tuning().setState(text.toHtmlEscaped());
        m_tuningRun.end(false, error);
        m_session.messages().add(MessageModel::Severity::Error, text);
    });
    connect(&m_tuner, &KernelTuner::warned, this, [this](const QString &text) {
        m_session.messages().add(MessageModel::Severity::Warning, text);
    });
    connect(&m_tuner, &KernelTuner::finished, this, &MainWindow::takeKernels);
    connect(&m_session, &Session::editingFinished, this, &MainWindow::measureTuned);
}

void MainWindow::tuneHere()
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot || m_session.isBusy() || m_runner.isRunning() || m_tuner.isRunning())
        return;
    const RunOptions options = m_kernels->options();
    const bool measured = std::ranges::any_of(
        m_runs, [&](const PlanRunPointer &run) { return run->isOf(*snapshot->plan); });
    m_tuner.start(snapshot->plan, options, m_kernels->limits(), measured);
}

void MainWindow::showTrials(const std::vector<TuningTrial> &trials)
{
    TuningPanel &panel = m_kernels->tuning();
    panel.add(trials);
    m_tuningRun.take(panel.log());
    const auto left = m_tuner.secondsLeft();
    const PassRun *run = m_tuningRun.active();
    if (!left || !m_tuner.isRunning() || !run)
        return;
    QString state = run->state == PassRun::State::Held ? tr("paused, %1 s left") : tr("%1 s left");
    state = state.arg(std::ceil(*left));
    if (!panel.log().isEmpty()) {
        const TuningTrial &last = panel.log().trials().back().what;
        state = tr("Now block %1, %2 · %3")
                    .arg(TrialModel::nameOf(last.place),
                         panel.model().operatorsOf(last.place.block).toHtmlEscaped(), state);
    }
    panel.setState(state);
}

void MainWindow::takeKernels(const std::shared_ptr<const KernelPlan> &kernels, bool cancelled)
{
    TuningPanel &panel = m_kernels->tuning();
    MessageModel &messages = m_session.messages();
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (m_tuningRun.active())
        m_tuningRun.end(cancelled);
    if (!snapshot) {
        // The model was closed.
    } else if (!kernels || !saysAnything(*kernels)) {
        if (kernels || cancelled) {
            const QString text = cancelled
                                     ? tr("Tuning was stopped before anything was found")
                                     : tr("No kernel of this plan has schedules to choose from");
            panel.setState(text);
            messages.add(MessageModel::Severity::Info, text);
        }
    } else if (snapshot->plan != m_tuner.plan() || m_session.isBusy()) {
        panel.setState(tr("Not applied: the plan was changed meanwhile"));
        messages.add(MessageModel::Severity::Warning,
                     tr("The plan was changed while its kernels were tuned: their schedules are "
                        "not those of the plan that is shown. What was tried is in the profile "
                        "database; tune again to use it."));
    } else {
        const QString nests = fromUtf8(TargetRun::tunedNests(*kernels));
        panel.setState(cancelled               ? tr("Stopped, with the best so far")
                       : panel.log().isEmpty() ? tr("All schedules were known: they are from the "
                                                    "profile database")
                                               : tr("Tuned"));
        messages.add(MessageModel::Severity::Info,
                     (cancelled ? tr("Tuning was stopped: the best so far is kept. %1 trials, %2 "
                                     "failed; %3")
                                : tr("Kernels were tuned: %1 trials, %2 failed; %3"))
                         .arg(panel.log().trials().size())
                         .arg(panel.log().failures())
                         .arg(nests));
        m_tuned = {snapshot->plan, std::make_shared<const TuningLog>(panel.log())};
        m_tunedKernels = kernels;
        m_session.edit(tr("Tune kernels"), [kernels](Plan plan) {
            plan.kernels = kernels;
            return plan;
        });
    }
    updateActions();
}

/// Once the schedules are in the plan.
void MainWindow::measureTuned()
{
    const auto kernels = std::exchange(m_tunedKernels, nullptr);
    const BeforeTuning before = std::exchange(m_tuned, {});
    if (!kernels || !m_session.snapshot() || m_session.snapshot()->plan->kernels != kernels)
        return;
    m_tuningRun.setResult(m_session.snapshot());
    m_runner.start(m_session.snapshot()->plan, m_tuner.runOptions(), before);
}

} // namespace graphloom
