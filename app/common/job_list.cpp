// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/job_list.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr int jobClockInterval = 500; // milliseconds

} // namespace

QString Job::activity() const
{
    return stopping ? JobList::tr("stopping…") : paused ? JobList::tr("paused") : doing;
}

QString Job::text() const
{
    const QString now = activity();
    return now.isEmpty() ? what : QStringLiteral("%1: %2").arg(what, now);
}

JobList::JobList(QObject *parent) : RowsModel(parent)
{
    const auto percent = [](double part) { return tr("%1 %").arg(int(100 * part)); };
    setColumns({{tr("Task"), {}, of(&Job::what)},
                {tr("Current step"), {}, of(&Job::activity)},
                {tr("Progress"), {}, of(&Job::fraction, percent), tr("Progress, if it is known")},
                {tr("Time"),
                 {}, // later tasks took less time
                 of(&Job::seconds, durationText).sortedBy([](int row) { return -row; }),
                 tr("Elapsed time")}});
    m_clock.setInterval(jobClockInterval);
    connect(&m_clock, &QTimer::timeout, this, &JobList::tick);
}

int JobList::begin(const QString &what, std::function<void()> cancel)
{
    const int row = int(m_jobs.size());
    beginInsertRows({}, row, row);
    Job &job = m_jobs.emplace_back();
    job.number = ++m_last;
    job.what = what;
    job.began.start();
    job.cancel = std::move(cancel);
    endInsertRows();
    m_clock.start();
    Q_EMIT changed();
    return m_last;
}

void JobList::report(int number, std::optional<double> fraction, const QString &doing)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    Job &job = m_jobs[std::size_t(row)];
    job.fraction = fraction;
    job.doing = doing;
    Q_EMIT dataChanged(index(row, Doing), index(row, Time));
    Q_EMIT changed();
}

void JobList::setPaused(int number, bool paused)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    m_jobs[std::size_t(row)].paused = paused;
    Q_EMIT dataChanged(index(row, Doing), index(row, Doing));
    Q_EMIT changed();
}

void JobList::end(int number)
{
    const int row = rowOfJob(number);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_jobs.erase(m_jobs.begin() + row);
    endRemoveRows();
    if (m_jobs.empty())
        m_clock.stop();
    Q_EMIT changed();
}

void JobList::cancel(int row)
{
    if (row < 0 || row >= int(m_jobs.size()) || !m_jobs[std::size_t(row)].cancel)
        return;
    Job &job = m_jobs[std::size_t(row)];
    job.stopping = true;
    const auto cancel = job.cancel; // a copy, as the call may end the job
    Q_EMIT dataChanged(index(row, Doing), index(row, Doing));
    cancel();
    Q_EMIT changed();
}

int JobList::rowOfJob(int number) const
{
    const auto found = std::ranges::find(m_jobs, number, &Job::number);
    return found == m_jobs.end() ? -1 : int(found - m_jobs.begin());
}

void JobList::tick()
{
    Q_EMIT dataChanged(index(0, Time), index(rowCount() - 1, Time));
    Q_EMIT changed();
}

QString durationText(double seconds)
{
    constexpr int minute = 60;
    if (seconds < minute)
        return JobList::tr("%1 s").arg(seconds, 0, 'f', 1);
    return JobList::tr("%1:%2 min")
        .arg(int(seconds) / minute)
        .arg(int(seconds) % minute, 2, 10, QLatin1Char('0'));
}

} // namespace graphloom
