// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/table_model.h"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <optional>

namespace graphloom {

/// What goes on in the background, the newest last: every kind of work reports here, mostly through
/// Worker::announce().
class JobList final : public TableModel {
    Q_OBJECT

public:
    enum Columns { What, Doing, Done, Time, ColumnCount };
    struct Job {
        int number = 0;
        QString what;                   // "Opening model.onnx"
        QString doing;                  // "measuring"; empty: nothing more is known
        std::optional<double> fraction; // 0 to 1; none: not known
        bool stopping = false;
        QElapsedTimer began;
        std::function<void()> cancel; // null: it cannot be stopped

        /// In a line: "Tuning kernels: block 3".
        QString text() const;
        double seconds() const { return double(began.elapsed()) / 1000; }
    };

    explicit JobList(QObject *parent = nullptr);

    /// Something has begun; its number.
    int begin(const QString &what, std::function<void()> cancel = {});
    void report(int number, std::optional<double> fraction, const QString &doing);
    /// It is over, however it ended. Unknown numbers are no mistake: it may have been forgotten.
    void end(int number);
    /// Asks the job to stop, if it can be stopped; it leaves the list when it has.
    void cancel(int row);

    const std::vector<Job> &jobs() const { return m_jobs; }
    int rowCount(const QModelIndex &parent = {}) const override;
    bool isLess(int row, int other, int column) const override;

Q_SIGNALS:
    /// Something was added, removed, or has come further.
    void changed();

protected:
    QString text(int row, int column) const override;

private:
    int rowOfJob(int number) const;
    void tick();

    std::vector<Job> m_jobs;
    int m_last = 0;
    QTimer m_clock; // while something goes on
};

/// "4.2 s", "1:05 min".
QString durationText(double seconds);

} // namespace graphloom
