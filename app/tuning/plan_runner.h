// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/tuning/machine_worker.h"

namespace graphloom {

/// Holds what a tuned plan is compared with.
struct BeforeTuning {
    std::shared_ptr<const Plan> plan; // with the schedules from before; null: not compared
    TuningLogPointer log;             // the trials
};

/// Builds the plan for a target, warms up, measures, and reads the device's peaks; `progress` gets
/// the fraction done in 0..1. The plan that it is compared with (that before tuning, or the
/// original if the options say so) is measured alternately with it. Ends with a traced run of each.
/// If stopped while measuring, the result has the measurements so far, and no traces. Fails as
/// building and measuring do, (Model) if inputs have no static shapes, and (Fault) if stopped
/// before anything was measured.
Result<PlanRunPointer> runPlan(std::shared_ptr<const Plan> plan, const ChosenTarget &target,
                               const RunOptions &options, std::stop_token stop,
                               const std::function<void(double, std::string_view)> &progress,
                               const BeforeTuning &before = {});

/// Runs plans on this machine, on a thread, one at a time.
class PlanRunner final : public MachineWorker {
    Q_OBJECT

public:
    explicit PlanRunner(std::vector<TargetPlugin> targets) : MachineWorker(std::move(targets)) {}

    /// Starts a run; not while another one is at work. Fails at once if no target runs on this
    /// machine.
    void start(std::shared_ptr<const Plan> plan, const RunOptions &options,
               const BeforeTuning &before = {});
    /// Stops the run and keeps the measurements so far.
    void cancel() { worker().stop(); }
    /// Stops the run and discards the result.
    void abandon();

Q_SIGNALS:
    /// Emitted at the end; `run` is null if it was stopped before anything was measured, or failed.
    void finished(const graphloom::PlanRunPointer &run, bool cancelled);
};

} // namespace graphloom
