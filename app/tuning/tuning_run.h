// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/tuning_search.h"
#include "app/session/run_list.h"
#include "app/tuning/kernel_tuner.h"

namespace graphloom {

/// Presents tuning as one of the runs of a plan: it is listed with its limits and its search
/// record, can be paused and stopped there, and has the tuned plan as its result.
class TuningRun final : public QObject {
public:
    TuningRun(KernelTuner &tuner, RunList &runs);

    /// Lists the run: tuning of the snapshot's plan has begun.
    void begin(const SnapshotPointer &before);
    /// Updates the run with the trials that have come to the log.
    void take(const TuningLog &log);
    /// Ends the run: no more trials come; `problem` is the reason if it failed.
    void end(bool stopped, const std::optional<Error> &problem = std::nullopt);
    /// Sets the result: the plan with the schedules that were found.
    void setResult(const SnapshotPointer &result);
    /// Returns the run while it is at work, or null if there is none.
    const PassRun *active() const;

private:
    RunList &m_runs;
    KernelTuner &m_tuner;
    TuningSearch m_search;
    int m_number = 0; // number of the last run
};

} // namespace graphloom
