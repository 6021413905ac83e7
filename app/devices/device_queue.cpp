// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/devices/device_queue.h"

#include "app/run/measured_runs.h"

#include <algorithm>

namespace graphloom {

DeviceQueue::DeviceQueue(std::vector<TargetPlugin> targets,
                         std::optional<std::filesystem::path> profile, JobList &jobs)
    : RowsModel(nullptr), m_targets(std::move(targets)), m_profile(std::move(profile)), m_list(jobs)
{
    const auto percent = [](double part) { return tr("%1 %").arg(int(100 * part)); };
    const auto made = [](const DeviceJob &job) {
        return job.model + QStringLiteral(": ") + fromUtf8(makersOf(*job.plan));
    };
    const auto fraction = [](const DeviceJob &job) {
        return job.isActive() ? std::optional(job.fraction) : std::nullopt;
    };
    const auto median = [](const DeviceJob &job) {
        return job.run ? std::optional(job.run->outcome.after->whole.median) : std::nullopt;
    };
    const auto seconds = [](const DeviceJob &job) {
        return job.seconds > 0 ? std::optional(job.seconds) : std::nullopt;
    };
    setColumns(
        {{tr("#"), QStringLiteral("job"), of(&DeviceJob::number),
          tr("Number of the job, in the order in which they were added")},
         {tr("Device"), QStringLiteral("device"), of(&DeviceJob::device)},
         {tr("Work"), QStringLiteral("work"), of(workOf)},
         {tr("State"), QStringLiteral("state"),
          of([](const DeviceJob &job) { return nameOf(job.state); })},
         {tr("Progress"), {}, of(fraction, percent)},
         {tr("Median ms"), QStringLiteral("median_ms"), of(median),
          tr("Median latency of the measured runs")},
         {tr("Time"), QStringLiteral("seconds"), of(seconds, durationText),
          tr("Time that the job took")},
         {tr("Current step"), QStringLiteral("step"), of(&DeviceJob::doing),
          tr("What is being done, or why the job failed")},
         {tr("Plan"), QStringLiteral("plan"), of(made), tr("Model, and what made its plan")}});
}

int DeviceQueue::rowOfJob(int number) const
{
    const auto found = std::ranges::find(m_rows, number, &DeviceJob::number);
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

QString DeviceQueue::provenance(int row) const
{
    const PlanRunPointer &run = at(row).run;
    return run ? run->provenance() : QString();
}

int DeviceQueue::add(DeviceJob job)
{
    const int row = rowCount();
    beginInsertRows({}, row, row);
    job.number = ++m_last;
    job.state = DeviceJob::State::Waiting;
    job.note(tr("Waiting"));
    m_rows.push_back(std::move(job));
    endInsertRows();
    beginNext();
    return m_last;
}

void DeviceQueue::setHeld(bool held)
{
    if (std::exchange(m_held, held) && !held)
        beginNext();
}

void DeviceQueue::beginNext()
{
    while (!m_held && !m_worker.isRunning()) {
        const auto next = std::ranges::find(m_rows, DeviceJob::State::Waiting, &DeviceJob::state);
        if (next == m_rows.end())
            return;
        if (const auto target = findChosen(m_targets, next->device))
            begin(*next, *target);
        else
            end(next->number,
                fail(Error::Kind::Usage, "no target has this device any more", next->device));
    }
}

void DeviceQueue::begin(DeviceJob &job, const ChosenTarget &target)
{
    job.state = DeviceJob::State::Running;
    job.fraction = 0;
    job.seconds = 0;
    job.began.start();
    m_worker.announce(&m_list, tr("%1 on %2").arg(workOf(job), fromUtf8(job.device)),
                      [this, number = job.number] { stop(number); });
    auto progress =
        m_worker.progress([this, number = job.number](double fraction, const QString &doing) {
            follow(number, fraction, doing);
        });
    m_worker.start(
        [job, target, profile = m_profile, progress = std::move(progress)](std::stop_token stop) {
            return carryOut(job, target, profile, std::move(stop), progress);
        },
        [this, number = job.number](const Result<PlanRunPointer> &result) {
            end(number, result);
            beginNext();
        });
    tell(rowOfJob(job.number));
    Q_EMIT changed();
}

void DeviceQueue::follow(int number, double fraction, const QString &doing)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    DeviceJob &job = m_rows[std::size_t(row)];
    job.fraction = fraction;
    if (!doing.isEmpty() && doing != job.doing) {
        job.doing = doing;
        job.note(doing);
    }
    tell(row);
}

void DeviceQueue::end(int number, const Result<PlanRunPointer> &result)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    DeviceJob &job = m_rows[std::size_t(row)];
    const bool wasStopped = job.state == DeviceJob::State::Running && m_worker.isStopped();
    job.seconds = job.began.isValid() ? double(job.began.elapsed()) / 1000 : 0;
    job.run = result ? *result : nullptr;
    job.state = wasStopped ? DeviceJob::State::Stopped
                : result   ? DeviceJob::State::Done
                           : DeviceJob::State::Failed;
    job.doing.clear();
    if (job.run) {
        const Measurement &after = *job.run->outcome.after;
        job.note(tr("Median %1 ms of %n run(s) (%2)", nullptr, after.runs)
                     .arg(formatReal(after.whole.median), job.run->provenance()));
    }
    if (wasStopped)
        job.note(tr("Stopped"));
    else if (!result)
        job.note(job.doing = fromUtf8(result.error().text()));
    // Receivers may change the list.
    const QString device = fromUtf8(job.device), problem = job.doing;
    const PlanRunPointer run = job.run;
    const bool hasFailed = job.state == DeviceJob::State::Failed;
    tell(row);
    Q_EMIT changed();
    if (run)
        Q_EMIT measured(run);
    if (hasFailed)
        Q_EMIT failed(device, problem);
}

void DeviceQueue::tell(int row)
{
    Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
    Q_EMIT jobChanged(at(row).number);
}

void DeviceQueue::stop(int number)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    DeviceJob &job = m_rows[std::size_t(row)];
    if (job.state == DeviceJob::State::Running) {
        job.doing = tr("stopping…");
        m_worker.stop();
    } else if (job.state == DeviceJob::State::Waiting) {
        job.state = DeviceJob::State::Stopped;
        job.note(tr("Stopped"));
        Q_EMIT changed();
    }
    tell(row);
}

void DeviceQueue::retry(int number)
{
    const int row = rowOfJob(number);
    if (row < 0 || at(row).isActive())
        return;
    DeviceJob job = at(row);
    remove(number);
    job.doing.clear();
    job.run = nullptr;
    job.fraction = job.seconds = 0;
    job.began.invalidate();
    add(std::move(job));
}

template <class Which> void DeviceQueue::removeWhere(Which which)
{
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (!which(at(row)))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
    Q_EMIT changed();
}

void DeviceQueue::remove(int number)
{
    removeWhere([&](const DeviceJob &job) { return job.number == number && !job.isActive(); });
}

void DeviceQueue::removeEnded()
{
    removeWhere([](const DeviceJob &job) { return !job.isActive(); });
}

void DeviceQueue::forget()
{
    m_worker.abandon();
    removeWhere([](const DeviceJob &) { return true; });
}

} // namespace graphloom
