// SPDX-License-Identifier: GPL-3.0-or-later
// How the window runs plans on this machine, and what it shows of the runs.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/kernels/kernel_panel.h"
#include "app/pareto/pareto_panel.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t mostRuns = 8; // that are kept for undo and redo

/// What is interpreted and why, a line for each.
QStringList interpretedOf(const PlanRun &run)
{
    QStringList lines;
    for (const PlanStep &step : run.steps())
        if (!step.reason.empty())
            lines << MainWindow::tr("Block %1, %2: %3")
                         .arg(step.block.value_or(0))
                         .arg(fromUtf8(step.text), fromUtf8(step.reason));
    return lines;
}

} // namespace

void MainWindow::connectKernels()
{
    connect(m_actions->runHere, &QAction::triggered, this, &MainWindow::runHere);
    connect(&m_runner, &PlanRunner::started, this, &MainWindow::updateActions);
    connect(&m_runner, &PlanRunner::failed, this, [this](const Error &error) {
        m_session.messages().add(MessageModel::Severity::Error,
                                 tr("Cannot run on this machine: %1").arg(fromUtf8(error.text())));
    });
    connect(&m_runner, &PlanRunner::finished, this, &MainWindow::takeRun);
}

void MainWindow::runHere()
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot || m_session.isBusy() || m_tuner.isRunning())
        return;
    m_runner.start(snapshot->plan, m_kernels->options());
}

void MainWindow::cancelWork()
{
    m_session.cancel();
    m_runner.cancel();
    if (const PassRun *run = m_tuningRun.active())
        m_session.runs().stop(run->number);
    m_comparer.cancel();
    m_viewExporter.cancel();
}

void MainWindow::keepRun(const PlanRunPointer &run)
{
    std::erase_if(m_runs, [&](const auto &older) { return older->isOf(*run->plan); });
    if (m_runs.size() >= mostRuns)
        m_runs.erase(m_runs.begin());
    m_runs.push_back(run);
    for (const QString &warning : run->warnings)
        m_session.messages().add(MessageModel::Severity::Warning, warning);
    showRun();
}

void MainWindow::takeRun(const PlanRunPointer &run, bool cancelled)
{
    if (run) {
        keepRun(run);
        const double median = run->outcome.after->whole.median;
        QString compared;
        if (const auto &before = run->outcome.before; before && median > 0)
            compared = tr(", %1 ms before tuning: %2 ×")
                           .arg(formatReal(before->whole.median),
                                QString::number(before->whole.median / median, 'f', 2));
        const int runs = run->outcome.after->runs;
        const QString time =
            runs == 1 ? tr("Ran once: %1 ms").arg(formatReal(median))
                      : tr("Ran %1 times: %2 ms in the median").arg(runs).arg(formatReal(median));
        m_session.messages().add(
            MessageModel::Severity::Info,
            tr("%1 (%2)%3%4")
                .arg(time, fromUtf8(nameOf(run->outcome.provenance)), compared,
                     cancelled ? tr("; stopped before all runs were measured") : QString()));
        if (const QStringList lines = interpretedOf(*run); !lines.isEmpty())
            m_session.messages().add(MessageModel::Severity::Warning,
                                     lines.size() == 1
                                         ? tr("Interpreted: %1").arg(lines.front())
                                         : tr("%1 blocks are interpreted").arg(lines.size()),
                                     lines.join('\n'));
        raiseDock(QStringLiteral("kernels"));
        m_kernels->showList(KernelPanel::List::Kernels);
    } else if (cancelled && m_session.snapshot()) {
        m_session.messages().add(MessageModel::Severity::Info,
                                 tr("The run was stopped before anything was measured"));
    }
    updateActions();
}

PlanRunPointer MainWindow::currentRun() const
{
    const SnapshotPointer &shown = m_navigator.shown();
    if (!shown)
        return nullptr;
    const auto run = std::ranges::find_if(
        m_runs, [&](const PlanRunPointer &of) { return of->isOf(*shown->plan); });
    return run == m_runs.end() ? nullptr : *run;
}

/// Of the plan that is shown; else of the one that was run last, marked as such.
void MainWindow::showRun()
{
    const PlanRunPointer current = currentRun();
    const bool stale = !current && !m_runs.empty();
    m_pareto->setRuns(m_runs);
    m_kernels->setRun(stale ? m_runs.back() : current,
                      stale ? KernelPanel::State::Stale : KernelPanel::State::Current,
                      current && !m_navigator.isInside());
    if (current != (m_heat ? m_heat->run() : nullptr))
        m_heat = current ? std::make_shared<const Heat>(current) : nullptr;
    refreshMetric();
}

} // namespace graphloom
