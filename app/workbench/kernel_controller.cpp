// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/kernel_controller.h"

#include "app/common/format.h"
#include "app/run/target_run.h"
#include "app/workbench/workbench.h"
#include "engine/system/atomic_file.h"

#include <QDateTime>

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t mostRuns = 16; // kept for undo and redo, and for several devices

/// Lists the interpreted blocks with their reasons, one per line.
QStringList interpretedOf(const PlanRun &run)
{
    QStringList lines;
    for (const PlanStep &step : run.steps())
        if (!step.reason.empty())
            lines << KernelController::tr("Block %1, %2: %3")
                         .arg(step.block.value_or(0))
                         .arg(fromUtf8(step.text), fromUtf8(step.reason));
    return lines;
}

/// Returns whether the tuner has new results for any kernel.
bool saysAnything(const KernelPlan &kernels)
{
    return std::ranges::any_of(kernels.blocks, [](const std::vector<NestKernel> &block) {
        return std::ranges::any_of(block, [](const NestKernel &nest) {
            return nest.trials > 0 || nest.time || !nest.schedule.empty();
        });
    });
}

} // namespace

KernelController::KernelController(Workbench &bench)
    : m_bench(bench), m_runner(bench.options.targets),
      m_tuner(bench.options.targets, bench.options.profile),
      m_tuningRun(m_tuner, bench.session.runs())
{
    m_runner.setJobs(&bench.jobs);
    m_tuner.setJobs(&bench.jobs);
    connect(bench.actions.runHere, &QAction::triggered, this, [this] { run(); });
    connect(bench.actions.runBesideOriginal, &QAction::triggered, this,
            &KernelController::runBeside);
    connect(bench.actions.exportTrace, &QAction::triggered, this, &KernelController::exportTrace);
    connect(bench.actions.exportPackage, &QAction::triggered, this,
            &KernelController::exportPackage);
    connect(bench.actions.tuneHere, &QAction::triggered, this, &KernelController::tune);
    connect(&m_runner, &PlanRunner::started, this, [this] { m_bench.updateActions(); });
    connect(&m_runner, &PlanRunner::failed, this, [this](const Error &error) {
        m_bench.tell(MessageModel::Severity::Error,
                     tr("Cannot run on this machine: %1").arg(fromUtf8(error.text())));
    });
    connect(&m_runner, &PlanRunner::finished, this, &KernelController::takeRun);
    connectTuner();
}

void KernelController::connectTuner()
{
    connect(&m_tuner, &KernelTuner::started, this, [this] {
        Q_EMIT tuningStarted();
        m_tuningRun.begin(m_bench.session.snapshot());
        m_bench.updateActions();
    });
    connect(&m_tuner, &KernelTuner::measured, this, &KernelController::keep);
    connect(&m_tuner, &KernelTuner::tried, this, &KernelController::tried);
    connect(&m_tuner, &KernelTuner::failed, this, [this](const Error &error) {
        const QString text = tr("Cannot tune kernels: %1").arg(fromUtf8(error.text()));
        Q_EMIT tuningState(text.toHtmlEscaped());
        m_tuningRun.end(false, error);
        m_bench.tell(MessageModel::Severity::Error, text);
    });
    connect(&m_tuner, &KernelTuner::warned, this,
            [this](const QString &text) { m_bench.warn(text); });
    connect(&m_tuner, &KernelTuner::finished, this, &KernelController::takeTuned);
    connect(&m_bench.session, &Session::editingFinished, this, &KernelController::measureTuned);
}

void KernelController::run(const RunOptions &options)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (snapshot && !m_bench.session.isBusy() && !m_tuner.isRunning() &&
        !m_bench.deviceJobs.isRunning())
        m_runner.start(snapshot->plan, options);
}

void KernelController::runBeside()
{
    RunOptions options = choices.run();
    options.beside = true;
    run(options);
}

void KernelController::tune()
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (snapshot && !m_bench.session.isBusy() && !isRunning() && !m_bench.deviceJobs.isRunning())
        m_tuner.start(snapshot->plan, choices.run(), choices.limits(),
                      runOf(*snapshot->plan) != nullptr);
}

void KernelController::cancel()
{
    m_runner.cancel();
    if (const PassRun *run = tuningRun())
        m_bench.session.runs().stop(run->number);
}

void KernelController::forget()
{
    m_runner.abandon();
    m_tuner.abandon();
    m_runs.clear();
    m_trials = nullptr;
    m_exported = nullptr;
    Q_EMIT forgotten();
}

void KernelController::restore()
{
    const Session::Measured &measured = m_bench.session.measured();
    m_runs = measured.runs;
    m_trials = measured.trials;
    if (m_trials)
        Q_EMIT trialsRestored(m_trials);
}

void KernelController::keep(const PlanRunPointer &run)
{
    std::erase_if(m_runs, [&](const auto &older) {
        return older->isOf(*run->plan) && older->deviceName() == run->deviceName();
    });
    if (m_runs.size() >= mostRuns)
        m_runs.erase(m_runs.begin());
    m_runs.push_back(run);
    m_bench.session.setMeasured({m_runs, m_trials});
    m_bench.deviceJobs.note(*run);
    for (const QString &warning : run->warnings)
        m_bench.warn(warning);
    refresh();
    m_bench.colours.refresh();
}

void KernelController::keepTrials(const TuningLog &log)
{
    TuningTrials trials{m_tuner.plan(), {}, {machineName(), QDateTime::currentMSecsSinceEpoch()}};
    for (const TuningLog::Trial &trial : log.trials())
        trials.trials.push_back(trial.what);
    m_trials = std::make_shared<const TuningTrials>(std::move(trials));
    m_bench.session.setMeasured({m_runs, m_trials});
}

void KernelController::takeRun(const PlanRunPointer &run, bool cancelled)
{
    if (run) {
        keep(run);
        const double median = run->outcome.after->whole.median;
        QString compared;
        if (const auto &before = run->outcome.before; before && median > 0)
            compared = (run->outcome.besideOriginal ? tr(", unfused original %1 ms: %2 ×")
                                                    : tr(", %1 ms before tuning: %2 ×"))
                           .arg(formatReal(before->whole.median),
                                QString::number(before->whole.median / median, 'f', 2));
        const int runs = run->outcome.after->runs;
        const QString time =
            runs == 1 ? tr("Ran once: %1 ms").arg(formatReal(median))
                      : tr("Ran %1 times: median %2 ms").arg(runs).arg(formatReal(median));
        m_bench.inform(
            tr("%1 (%2)%3%4")
                .arg(time, fromUtf8(nameOf(run->outcome.provenance)), compared,
                     cancelled ? tr("; stopped before all runs were measured") : QString()));
        if (const QStringList lines = interpretedOf(*run); !lines.isEmpty())
            m_bench.tell(MessageModel::Severity::Warning,
                         lines.size() == 1 ? tr("Interpreted: %1").arg(lines.front())
                                           : tr("%1 blocks are interpreted").arg(lines.size()),
                         lines.join('\n'));
        const bool timeline = run->outcome.besideOriginal && !run->outcome.trace.empty();
        Q_EMIT m_bench.panelWanted(timeline ? QStringLiteral("timeline")
                                            : QStringLiteral("kernels"));
        Q_EMIT ran();
    } else if (cancelled && m_bench.session.snapshot()) {
        m_bench.inform(tr("Run stopped before anything was measured"));
    }
    m_bench.updateActions();
}

PlanRunPointer KernelController::runOf(const Plan &plan) const
{
    const QString device =
        plan.device && !plan.device->target.empty() ? fromUtf8(plan.device->target) : QString();
    PlanRunPointer found;
    for (const PlanRunPointer &run : m_runs) // the newest last
        if (run->isOf(plan) && (!found || found->deviceName() != device))
            found = run;
    return found;
}

PlanRunPointer KernelController::currentRun() const
{
    const SnapshotPointer &shown = m_bench.navigator.shown();
    return shown ? runOf(*shown->plan) : nullptr;
}

PlanRunPointer KernelController::shownRun() const
{
    const PlanRunPointer current = currentRun();
    return current || m_runs.empty() ? current : m_runs.back();
}

void KernelController::exportTrace()
{
    m_exported = shownRun();
    if (m_exported && !m_exported->outcome.trace.empty())
        Q_EMIT traceFileWanted(
            QStringLiteral("%1-trace.json").arg(fromUtf8(m_bench.session.path().stem().string())));
}

void KernelController::writeTrace(const std::filesystem::path &path)
{
    if (!m_exported)
        return;
    const std::string model = m_bench.session.path().filename().string();
    m_bench.documents.write(path, [run = m_exported, path, model](const std::stop_token &) {
        const TargetOutcome &outcome = run->outcome;
        std::vector<TracedRun> runs;
        if (!outcome.traceBefore.empty())
            runs.push_back({model + (outcome.besideOriginal ? ", original" : ", before tuning"),
                            outcome.stepsBefore, outcome.traceBefore});
        runs.push_back({model, outcome.steps, outcome.trace});
        return writeFileAtomically(path, traceJson(runs));
    });
}

void KernelController::exportPackage()
{
    if (m_bench.session.snapshot())
        Q_EMIT packageFolderWanted(
            QStringLiteral("%1-package").arg(fromUtf8(m_bench.session.path().stem().string())));
}

void KernelController::writePackage(const std::filesystem::path &folder)
{
    const SnapshotPointer snapshot = m_bench.session.snapshot();
    if (!snapshot)
        return;
    const auto target = targetOf(*snapshot->plan, m_bench.options.targets);
    if (!target) {
        m_bench.tell(MessageModel::Severity::Error,
                     tr("Cannot export a package: %1").arg(fromUtf8(target.error().text())));
        return;
    }
    const std::string model = m_bench.session.path().stem().string();
    const unsigned threads = choices.run().threads;
    m_bench.documents.write(folder,
                            [snapshot, target = *target, model, threads,
                             folder](const std::stop_token &stop) -> Result<void> {
                                const TargetRun run(target, {.threads = threads}, {stop, stop},
                                                    [](double, std::string_view) {});
                                GL_TRY_RESULT(package,
                                              run.package(*snapshot->plan, model, false, folder));
                                return package->place();
                            });
}

void KernelController::refresh()
{
    const PlanRunPointer current = currentRun();
    if (current != (m_heat ? m_heat->run() : nullptr))
        m_heat = current ? std::make_shared<const Heat>(current) : nullptr;
    updateActions();
    Q_EMIT runsChanged();
}

void KernelController::takeTuned(const std::shared_ptr<const Plan> &tuned, bool cancelled)
{
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (m_tuningRun.active())
        m_tuningRun.end(cancelled);
    if (!snapshot) {
        // The model was closed.
    } else if (!tuned || !tuned->kernels || !saysAnything(*tuned->kernels)) {
        if (tuned || cancelled) {
            const QString text = cancelled ? tr("Tuning stopped before any result")
                                           : tr("No kernel of this plan can be tuned");
            Q_EMIT tuningState(text);
            m_bench.inform(text);
        }
    } else if (snapshot->plan != m_tuner.plan() || m_bench.session.isBusy()) {
        Q_EMIT tuningState(tr("Not applied: the plan has changed since"));
        m_bench.warn(tr("The plan was changed while its kernels were tuned, so the new schedules "
                        "do not belong to the current plan. The trials are in the profile "
                        "database; tune again to use them."));
    } else {
        applyTuned(*tuned, cancelled);
    }
    m_bench.updateActions();
}

void KernelController::applyTuned(const Plan &tuned, bool cancelled)
{
    const auto log = std::make_shared<const TuningLog>(choices.log());
    Q_EMIT tuningState(cancelled        ? tr("Stopped, best result kept")
                       : log->isEmpty() ? tr("All schedules came from the profile database")
                                        : tr("Tuned"));
    m_bench.inform((cancelled ? tr("Tuning stopped, best result kept: %1 trials, %2 failed; %3")
                              : tr("Tuning finished: %1 trials, %2 failed; %3"))
                       .arg(log->trials().size())
                       .arg(log->failures())
                       .arg(fromUtf8(TargetRun::tunedParts(*m_tuner.plan(), tuned))));
    if (!log->isEmpty())
        keepTrials(*log);
    m_tuned = {m_bench.session.snapshot()->plan, log};
    m_tunedKernels = tuned.kernels;
    m_bench.session.edit(tr("Tune kernels"), [tuned](const Plan &) { return tuned; });
}

/// Called after the schedules have been applied to the plan.
void KernelController::measureTuned()
{
    const auto kernels = std::exchange(m_tunedKernels, nullptr);
    const BeforeTuning before = std::exchange(m_tuned, {});
    const SnapshotPointer &snapshot = m_bench.session.snapshot();
    if (!kernels || !snapshot || snapshot->plan->kernels != kernels)
        return;
    m_tuningRun.setResult(snapshot);
    m_runner.start(snapshot->plan, m_tuner.runOptions(), before);
}

void KernelController::updateActions()
{
    const bool idle = m_bench.session.snapshot() && !m_bench.session.isBusy() && !isRunning() &&
                      !m_bench.deviceJobs.isRunning();
    m_bench.actions.runHere->setEnabled(idle);
    m_bench.actions.runBesideOriginal->setEnabled(idle);
    m_bench.actions.tuneHere->setEnabled(idle);
    m_bench.actions.exportPackage->setEnabled(m_bench.session.snapshot() != nullptr);
    const PlanRunPointer shown = shownRun();
    m_bench.actions.exportTrace->setEnabled(shown && !shown->outcome.trace.empty());
}

} // namespace graphloom
