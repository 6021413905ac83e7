// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_jobs.h"

#include "app/run/measured_runs.h"
#include "app/session/session.h"
#include "engine/fusion/blocks/repricing.h"

#include <algorithm>

namespace graphloom {

DeviceJobs::DeviceJobs(Session &session, std::vector<TargetPlugin> targets,
                       std::optional<std::filesystem::path> profile, JobList &jobs)
    : m_session(session), m_queue(std::move(targets), profile, jobs), m_history(std::move(profile))
{
    using Severity = MessageModel::Severity;
    connect(&m_queue, &DeviceQueue::failed, this,
            [this](const QString &device, const QString &reason) {
                m_session.messages().add(Severity::Error,
                                         tr("Cannot measure on %1: %2").arg(device, reason));
            });
    connect(&m_history, &RunHistory::failed, this, [this](const QString &problem) {
        m_session.messages().add(
            Severity::Warning, tr("The history of measurements is not available: %1").arg(problem));
    });
}

std::string DeviceJobs::model() const
{
    return m_session.path().filename().string();
}

void DeviceJobs::measureOn(const std::vector<std::string> &devices, const RunOptions &options,
                           const std::optional<TuneLimits> &tuning)
{
    const SnapshotPointer &snapshot = m_session.snapshot();
    if (!snapshot)
        return;
    for (const std::string &device : devices) {
        DeviceJob job;
        job.device = device;
        job.plan = snapshot->plan;
        job.model = fromUtf8(model());
        job.options = options;
        job.tuning = tuning;
        m_queue.add(std::move(job));
    }
}

void DeviceJobs::note(const PlanRun &run)
{
    m_history.note(profiledRun(*run.plan, run.outcome, model(), run.at));
}

void DeviceJobs::apply(const PlanRunPointer &run)
{
    m_session.tryEdit(tr("Plan measured on %1").arg(run->deviceName()),
                      [run](Plan, const std::stop_token &stop) -> Result<Plan> {
                          if (!run->device)
                              return *run->plan;
                          Device device = *run->device;
                          device.target = run->deviceName().toStdString();
                          return pricedFor(*run->plan,
                                           std::make_shared<const Device>(std::move(device)), stop);
                      });
}

void DeviceJobs::cancel()
{
    const auto running =
        std::ranges::find(m_queue.jobs(), DeviceJob::State::Running, &DeviceJob::state);
    if (running != m_queue.jobs().end())
        m_queue.stop(running->number);
}

} // namespace graphloom
