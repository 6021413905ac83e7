// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <optional>

namespace graphloom {

/// Describes work that runs in the background.
struct Job {
    int number = 0;
    QString what;                   // "Opening model.onnx"
    QString doing;                  // current activity: "measuring"; may be empty
    std::optional<double> fraction; // 0 to 1; nothing: unknown
    bool stopping = false, paused = false;
    QElapsedTimer began;
    std::function<void()> cancel; // null: the job cannot be stopped

    /// Returns the current activity, "stopping…" or "paused".
    QString activity() const;
    /// Returns the job on one line: "Tuning kernels: block 3".
    QString text() const;
    double seconds() const { return double(began.elapsed()) / 1000; }
};

/// Lists the jobs that run in the background, the newest last. Every kind of work reports here,
/// mostly through Worker::announce().
class JobList final : public RowsModel<Job> {
    Q_OBJECT

public:
    enum Columns { What, Doing, Done, Time };
    using Job = graphloom::Job;

    explicit JobList(QObject *parent = nullptr);

    /// Adds a job and returns its number.
    int begin(const QString &what, std::function<void()> cancel = {});
    void report(int number, std::optional<double> fraction, const QString &doing);
    void setPaused(int number, bool paused);
    /// Removes a job, however it ended. Unknown numbers are ignored: the job may have been removed
    /// already.
    void end(int number);
    /// Asks the job to stop, if it can be stopped. The job leaves the list once it has stopped.
    void cancel(int row);

    const std::vector<Job> &jobs() const { return m_jobs; }

Q_SIGNALS:
    /// Emitted when a job was added or removed, or has made progress.
    void changed();
    /// Emitted when a job has ended because of something that nobody expected.
    void failed(const QString &what, const QString &reason);

protected:
    std::span<const Job> allRows() const override { return m_jobs; }

private:
    int rowOfJob(int number) const;
    void tick();

    std::vector<Job> m_jobs;
    int m_last = 0;
    QTimer m_clock; // runs while there are jobs
};

/// Returns a duration in words: "4.2 s", "1:05 min".
QString durationText(double seconds);

} // namespace graphloom
