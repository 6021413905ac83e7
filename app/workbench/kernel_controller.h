// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/metrics/node_metric.h"
#include "app/tuning/kernel_tuner.h"
#include "app/tuning/tuning_run.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace graphloom {

class Workbench;

/// Runs plans on this machine and tunes their kernels. A plan that is tuned is measured as it is,
/// schedules are tried, the best ones become an edit of the plan, and both are measured in turns.
class KernelController final : public QObject {
    Q_OBJECT

public:
    explicit KernelController(Workbench &bench);

    /// How to measure and tune, and what was tried so far; the panel says so.
    struct Choices {
        std::function<RunOptions()> run = [] { return RunOptions(); };
        std::function<TuneLimits()> limits = [] { return TuneLimits(); };
        std::function<TuningLog()> log = [] { return TuningLog(); };
    };
    Choices choices;

    /// Builds and measures the plan.
    void run();
    /// Tunes the plan's kernels, and measures it before and after.
    void tune();
    void cancel();
    /// Of another model: nothing was run of it.
    void forget();
    bool isRunning() const { return m_runner.isRunning() || m_tuner.isRunning(); }

    PlanRunner &runner() { return m_runner; }
    KernelTuner &tuner() { return m_tuner; }
    /// What was tried has come to the log: the run of the list shows it.
    void listTrials(const TuningLog &log) { m_tuningRun.take(log); }
    /// The run of the list that tuning is; null: nothing is tuned.
    const PassRun *tuningRun() const { return m_tuningRun.active(); }
    /// Of this model, the newest last.
    const std::vector<PlanRunPointer> &runs() const { return m_runs; }
    /// Of a plan; null when it was not run.
    PlanRunPointer runOf(const Plan &plan) const;
    /// Of the plan that is shown.
    PlanRunPointer currentRun() const;
    /// Of the run that is shown, where that is current; else null.
    const HeatPointer &heat() const { return m_heat; }
    /// Another plan is shown.
    void refresh();
    void updateActions();

Q_SIGNALS:
    /// There is another run, or it is of another plan than the one that is shown.
    void runsChanged();
    /// A plan was run: its kernels are to be looked at.
    void ran();
    /// Nothing is known of tuning any more.
    void forgotten();
    void tuningStarted();
    void tried(const std::vector<graphloom::TuningTrial> &trials);
    /// As rich text.
    void tuningState(const QString &state);

private:
    void connectTuner();
    void keep(const PlanRunPointer &run);
    void takeRun(const PlanRunPointer &run, bool cancelled);
    void takeKernels(const std::shared_ptr<const KernelPlan> &kernels, bool cancelled);
    void applyKernels(const std::shared_ptr<const KernelPlan> &kernels, bool cancelled);
    void measureTuned();

    Workbench &m_bench;
    PlanRunner m_runner;
    KernelTuner m_tuner;
    TuningRun m_tuningRun;
    std::vector<PlanRunPointer> m_runs;
    HeatPointer m_heat;
    BeforeTuning m_tuned; // of schedules that are on their way into the plan
    std::shared_ptr<const KernelPlan> m_tunedKernels; // those
};

} // namespace graphloom
