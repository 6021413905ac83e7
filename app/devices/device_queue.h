// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/common/worker.h"
#include "app/devices/device_job.h"

namespace graphloom {

/// Carries out jobs on devices, one after the other on a thread, and lists them: measurements would
/// disturb each other.
class DeviceQueue final : public RowsModel<DeviceJob> {
    Q_OBJECT

public:
    enum Column { Number, Device, Work, State, Progress, Median, Time, Doing, Plan };

    /// `profile` is the database of trials; none: the user's. `jobs` shows the job at work.
    DeviceQueue(std::vector<TargetPlugin> targets, std::optional<std::filesystem::path> profile,
                JobList &jobs);

    /// Adds a job at the end, with a number of its own, which it returns.
    int add(DeviceJob job);
    /// Stops a job that runs, which keeps what was measured, or that waits.
    void stop(int number);
    /// Puts a job that has ended at the end of the queue again. Its log goes on.
    void retry(int number);
    /// Removes jobs that have ended.
    void remove(int number);
    void removeEnded();
    /// Lets no further job begin as long as other work would disturb it.
    void setHeld(bool held);
    /// Stops and removes all jobs, because another model is opened.
    void forget();

    bool isRunning() const { return m_worker.isRunning(); }
    const std::vector<DeviceJob> &jobs() const { return m_rows; }
    int rowOfJob(int number) const;
    QString provenance(int row) const override;

Q_SIGNALS:
    /// Emitted when a job has begun or ended.
    void changed();
    /// Emitted when anything of a job has changed.
    void jobChanged(int number);
    /// Emitted with what a job has measured.
    void measured(const graphloom::PlanRunPointer &run);
    void failed(const QString &device, const QString &reason);

protected:
    std::span<const DeviceJob> allRows() const override { return m_rows; }

private:
    void beginNext();
    void begin(DeviceJob &job, const ChosenTarget &target);
    void follow(int number, double fraction, const QString &doing);
    void end(int number, const Result<PlanRunPointer> &result);
    void tell(int row);
    template <class Which> void removeWhere(Which which);

    const std::vector<TargetPlugin> m_targets;
    const std::optional<std::filesystem::path> m_profile;
    JobList &m_list;
    std::vector<DeviceJob> m_rows;
    int m_last = 0;
    bool m_held = false;
    Worker m_worker; // last: see Session
};

} // namespace graphloom
