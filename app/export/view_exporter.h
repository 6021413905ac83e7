// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/export/view_export.h"

#include <QImage>
#include <QObject>
#include <QTimer>

#include <memory>

namespace graphloom {

/// Writes pictures and tables of views to files, one at a time. What can run on a worker does. Rows
/// of tables, which belong to the views, are read on this object's thread, in pieces that take no
/// longer than a part of a frame.
class ViewExporter final : public QObject {
    Q_OBJECT

public:
    /// Sets the list in which the work appears; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    explicit ViewExporter(QObject *parent = nullptr);

    /// Starts an export. Requires that no other is running, and that the view supports the format.
    void start(const ViewExport &view, ExportRequest request);
    /// Makes a picture for the clipboard: pixels and SVG. Requires that nothing else is running.
    void copy(const ViewPicture &picture, PictureOptions options);
    /// Cancels the export. Nothing is written then.
    void cancel();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void progress(double fraction);
    /// Emitted when a picture for the clipboard is made; otherwise failed() or cancelled().
    void copied(const QImage &image, const QByteArray &svg);
    /// Exactly one of these is emitted for each start().
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
    /// Writes the data that `make` returns, which is nothing when stopped.
    void write(std::function<Result<std::optional<QByteArray>>(std::stop_token)> make);

    bool m_running = false;
    ExportRequest m_request;
    std::unique_ptr<Taking> m_taking;
    QTimer m_turn; // triggers reading rows
    JobList *m_jobs = nullptr;
    Worker m_worker;
};

/// Exports a view at once, on this thread. Fails (Missing) when the destination cannot be written
/// or there is nothing to show, (Usage) when the view has no picture, or no table.
Result<void> exportView(const ViewExport &view, const ExportRequest &request);

} // namespace graphloom
