// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/node_metric.h"
#include "app/tuning/kernel_tuner.h"
#include "app/tuning/tuning_run.h"

#include <QObject>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace graphloom {

class Workbench;

/// Runs plans on this machine and tunes their kernels. To tune a plan it is measured as it is,
/// schedules are tried, the best ones become an edit of the plan, and both plans are measured
/// alternately.
class KernelController final : public QObject {
    Q_OBJECT

public:
    explicit KernelController(Workbench &bench);

    /// Holds functions that return the options of measuring and tuning, and the trials so far; the
    /// panel provides them.
    struct Choices {
        std::function<RunOptions()> run = [] { return RunOptions(); };
        std::function<TuneLimits()> limits = [] { return TuneLimits(); };
        std::function<TuningLog()> log = [] { return TuningLog(); };
    };
    Choices choices;

    /// Builds and measures the plan.
    void run() { run(choices.run()); }
    /// Does the same in alternation with the original, each node a kernel of its own.
    void runBeside();
    /// Tunes the plan's kernels, and measures the plan before and after.
    void tune();
    void cancel();
    /// Adds a run to those of this model, in place of an earlier one of the same plan on the same
    /// device.
    void keep(const PlanRunPointer &run);
    /// Forgets the runs, because another model is opened.
    void forget();
    /// Takes over what was measured in the session that was opened.
    void restore();
    bool isRunning() const { return m_runner.isRunning() || m_tuner.isRunning(); }

    PlanRunner &runner() { return m_runner; }
    KernelTuner &tuner() { return m_tuner; }
    /// Updates the run of tuning in the list of runs with the trials that have come to the log.
    void listTrials(const TuningLog &log) { m_tuningRun.take(log); }
    /// Returns the run of tuning in the list of runs, or null if nothing is tuned.
    const PassRun *tuningRun() const { return m_tuningRun.active(); }
    /// Returns the runs on this model, the newest last.
    const std::vector<PlanRunPointer> &runs() const { return m_runs; }
    /// Returns the run of a plan, on its own device if there are several, or null if it was not
    /// run.
    PlanRunPointer runOf(const Plan &plan) const;
    /// Returns the run of the plan that is shown, or null if it was not run.
    PlanRunPointer currentRun() const;
    /// Returns the run that panels show: the current one, or else the last one.
    PlanRunPointer shownRun() const;
    /// Asks for a file for the traces of the run that panels show.
    void exportTrace();
    /// Writes the traces for which a file was asked (traceJson()).
    void writeTrace(const std::filesystem::path &path);
    /// Asks for a folder for the package of the plan (engine/package/package.h).
    void exportPackage();
    /// Writes the package for which a folder was asked; not while something else is written.
    void writePackage(const std::filesystem::path &folder);
    /// Returns the heat of the run that is shown if it is current, or null.
    const HeatPointer &heat() const { return m_heat; }
    /// Updates the runs after another plan is shown; the colours are updated afterwards.
    void refresh();
    void updateActions();

Q_SIGNALS:
    /// Emitted when there is another run, or the plan that is shown is no longer that of the run.
    void runsChanged();
    /// Emitted when a plan was run, to show its kernels.
    void ran();
    /// Emitted when the results of tuning are discarded.
    void forgotten();
    void tuningStarted();
    void tried(const std::vector<graphloom::TuningTrial> &trials);
    /// Emitted with the trials of a session that was opened.
    void trialsRestored(const std::shared_ptr<const graphloom::TuningTrials> &trials);
    /// Emitted when the state of tuning has changed; `state` is rich text.
    void tuningState(const QString &state);
    /// Emitted when a file for traces is to be chosen; `name` is a name for it without folder.
    void traceFileWanted(const QString &name);
    /// Emitted when a folder for a package is to be chosen; `name` is a name for it.
    void packageFolderWanted(const QString &name);

private:
    void connectTuner();
    void run(const RunOptions &options);
    void keepTrials(const TuningLog &log);
    void takeRun(const PlanRunPointer &run, bool cancelled);
    void takeTuned(const std::shared_ptr<const Plan> &tuned, bool cancelled);
    void applyTuned(const Plan &tuned, bool cancelled);
    void measureTuned();

    Workbench &m_bench;
    PlanRunner m_runner;
    KernelTuner m_tuner;
    TuningRun m_tuningRun;
    std::vector<PlanRunPointer> m_runs;
    std::shared_ptr<const TuningTrials> m_trials; // of the last tuning; null: none
    HeatPointer m_heat;
    PlanRunPointer m_exported; // whose traces a file was asked for
    BeforeTuning m_tuned;      // state before the schedules that become an edit
    std::shared_ptr<const KernelPlan> m_tunedKernels; // the schedules that become an edit
};

} // namespace graphloom
