// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/tuning_search.h"
#include "app/session/run_list.h"
#include "app/tuning/kernel_tuner.h"

namespace graphloom {

/// Tuning as one of the runs of a plan: listed with its limits and what its search does, held and
/// stopped from there, and with the tuned plan as its result.
class TuningRun final : public QObject {
public:
    TuningRun(KernelTuner &tuner, RunList &runs);

    /// Tuning of the snapshot's plan has begun.
    void begin(const SnapshotPointer &before);
    /// The tuner tried what has come to the log.
    void take(const TuningLog &log);
    /// It is over, in so far as nothing more is tried; `problem`: why it failed.
    void end(bool stopped, const std::optional<Error> &problem = std::nullopt);
    /// The plan with what was found.
    void setResult(const SnapshotPointer &result);
    /// The run while it is at work; null: none.
    const PassRun *active() const;

private:
    RunList &m_runs;
    KernelTuner &m_tuner;
    TuningSearch m_search;
    int m_number = 0; // the last one
};

} // namespace graphloom
