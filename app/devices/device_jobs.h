// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/devices/device_queue.h"
#include "app/devices/run_history.h"

namespace graphloom {

class Session;

/// Measures the plan of a session on devices, and keeps the history of what was measured.
class DeviceJobs final : public QObject {
    Q_OBJECT

public:
    /// `profile` is the database of trials and of the history; none: the user's.
    DeviceJobs(Session &session, std::vector<TargetPlugin> targets,
               std::optional<std::filesystem::path> profile, JobList &jobs);

    DeviceQueue &queue() { return m_queue; }
    RunHistory &history() { return m_history; }
    bool isRunning() const { return m_queue.isRunning(); }
    /// Adds a job for each device, named as in DeviceController::choices(): the plan that is shown
    /// is tuned for it, if there are limits of tuning, and measured there.
    void measureOn(const std::vector<std::string> &devices, const RunOptions &options,
                   const std::optional<TuneLimits> &tuning);
    /// Adds a measurement to the history of its device.
    void note(const PlanRun &run);
    /// Makes the plan and the device of a run the current ones, as an edit.
    void apply(const PlanRunPointer &run);
    /// Stops the job at work; those that wait go on.
    void cancel();

private:
    std::string model() const;

    Session &m_session;
    DeviceQueue m_queue;
    RunHistory m_history;
};

} // namespace graphloom
