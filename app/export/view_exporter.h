// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/export/view_export.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace graphloom {

/// Writes pictures and tables of views to files, one at a time. What can be done on a thread of its
/// own is; rows of tables, which belong to the views, are taken in pieces that take no longer than
/// a part of a frame.
class ViewExporter final : public QObject {
    Q_OBJECT

public:
    /// Where the work is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    explicit ViewExporter(QObject *parent = nullptr);

    /// Requires that nothing is being written, and a format that the view has.
    void start(const ViewExport &view, ExportRequest request);
    /// Nothing is written then.
    void cancel();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void progress(double fraction);
    /// Of every start() one of them.
    void written(const QString &path);
    void failed(const graphloom::Error &error);
    void cancelled();

private:
    struct Taking {
        TableSource source;
        TableContent table;
        int next = 0;
    };
    using Outcome = Result<bool>; // false: stopped
    void startPicture(ViewPicture picture);
    void startTable(TableSource source);
    void takeRows();
    void end(const Outcome &outcome);
    /// Writes what `make` gives, which is nothing when it is stopped.
    void write(std::function<Result<std::optional<QByteArray>>(std::stop_token)> make);

    bool m_running = false;
    ExportRequest m_request;
    std::unique_ptr<Taking> m_taking;
    QTimer m_turn; // of taking rows
    JobList *m_jobs = nullptr;
    Worker m_worker;
};

/// Writes it at once, on this thread. Fails (Missing) when the place cannot be written, or there is
/// nothing to show; (Usage) when the view has no picture, or no table.
Result<void> exportView(const ViewExport &view, const ExportRequest &request);

} // namespace graphloom
