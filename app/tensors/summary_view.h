// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/tensors/content/summary_model.h"
#include "app/tensors/pictures/value_histogram.h"

#include <QWidget>

#include <deque>
#include <utility>

class QLabel;
class QProgressBar;
class QTableView;
class QToolButton;

namespace graphloom {

/// Shows the facts and figures of a tensor, and the histogram of its values. Figures are computed
/// on a thread, with progress, and can be cancelled.
class SummaryView final : public QWidget {
    Q_OBJECT

public:
    explicit SummaryView(QWidget *parent = nullptr);

    /// Sets the list that shows the work; null: none.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    void setTensor(const InspectedTensor &tensor);
    /// Tells whether the panel can be seen: a tensor that nobody looks at is not read.
    void setSeen(bool seen);
    void setTheme(const Theme &theme) { m_histogram->setTheme(theme); }

    /// Returns the figures; null while they are computed, if that was cancelled, and for a tensor
    /// without values, of one element or of strings.
    const StatisticsPointer &statistics() const { return m_statistics; }
    bool isBusy() const { return m_worker.isRunning(); }
    void cancel() { m_worker.stop(); }
    SummaryModel &model() { return m_model; }
    TableFilter &filter() { return m_filter; }
    QTableView &table() { return *m_table; }
    ValueHistogram &histogram() { return *m_histogram; }

Q_SIGNALS:
    /// Emitted when the figures are known, or are those of another tensor.
    void statisticsChanged();

protected:
    void showEvent(QShowEvent *event) override;

private:
    QWidget *makeProgress();
    bool hasFigures() const;
    void computeIfSeen();
    void compute();
    void take(StatisticsPointer statistics);
    void showFacts();
    void showProgress();

    QPointer<JobList> m_jobs;
    InspectedTensor m_tensor;
    StatisticsPointer m_statistics;
    std::deque<std::pair<std::uint64_t, StatisticsPointer>> m_known; // by hash, the oldest first
    SummaryModel m_model;
    TableFilter m_filter{m_model};
    QTableView *m_table;
    ValueHistogram *m_histogram;
    QWidget *m_progressLine;
    QLabel *m_state;
    QProgressBar *m_progress;
    QToolButton *m_cancel, *m_compute;
    bool m_isLong = false; // whether progress is shown
    bool m_seen = true;
    bool m_isDue = false; // figures are to be computed once the view is visible
    Worker m_worker;      // last: its thread ends before what it reports to
};

} // namespace graphloom
