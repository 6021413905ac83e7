// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/tuning/plan_runner.h"

#include <QTimer>

namespace graphloom {

/// Tunes the kernels of a plan for this machine, on a thread, one plan at a time. Measures the plan
/// first if that was not done, as the baseline. Trials, of which there may be thousands per second,
/// are reported a few times per second.
class KernelTuner final : public MachineWorker {
    Q_OBJECT

public:
    /// Creates the tuner. `profile` is the database that records the trials; none for the user's
    /// own, which is made if needed.
    KernelTuner(std::vector<TargetPlugin> targets, std::optional<std::filesystem::path> profile);

    /// Starts tuning; not while another plan is tuned. `measured` tells whether there is a run of
    /// the plan already. Fails at once if no target runs on this machine.
    void start(std::shared_ptr<const Plan> plan, const RunOptions &run, const TuneLimits &limits,
               bool measured);
    /// Stops tuning and keeps the best schedules so far.
    void cancel()
    {
        worker().stop();
        hold(false);
    }
    /// Pauses or continues tuning. While paused, no new trial begins and the time stands still; the
    /// trial in progress ends.
    void hold(bool held);
    /// Returns a clock for the seconds of the run, without the time it was paused.
    std::function<double()> clock() const;
    /// Stops tuning and discards the result.
    void abandon();
    /// Returns the plan that is tuned or was tuned last.
    const std::shared_ptr<const Plan> &plan() const { return m_plan; }
    const RunOptions &runOptions() const { return m_runOptions; }
    const TuneLimits &limits() const { return m_limits; }
    /// Returns the seconds left of the limit, or nothing while the plan is measured before.
    std::optional<double> secondsLeft() const;

Q_SIGNALS:
    /// Emitted when the plan was measured as it is, before its kernels are tuned.
    void measured(const graphloom::PlanRunPointer &run);
    /// Emitted about ten times per second; `trials` may be empty.
    void tried(const std::vector<graphloom::TuningTrial> &trials);
    /// Emitted at the end; `tuned` is null if tuning was stopped before it began, or failed.
    void finished(const std::shared_ptr<const graphloom::Plan> &tuned, bool cancelled);
    void warned(const QString &text);

private:
    struct Shared; // shared with the thread
    void hand();

    const std::optional<std::filesystem::path> m_profile;
    std::shared_ptr<const Plan> m_plan;
    RunOptions m_runOptions;
    TuneLimits m_limits;
    std::shared_ptr<Shared> m_shared; // of the run
    QTimer m_clock;
};

} // namespace graphloom
