// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/tensors/content/value_model.h"
#include "app/tensors/pictures/heat_map.h"
#include "app/tensors/pictures/value_histogram.h"
#include "app/tensors/slice_bar.h"

class QTableView;
class QToolButton;

namespace graphloom {

class ElementEdit;
class PageBar;

/// Shows a slice of a tensor as a table and as a heat map, which share the current element.
class SliceView final : public QWidget {
    Q_OBJECT

public:
    /// Number of elements that may be copied at once.
    static constexpr std::int64_t mostCopied = 1'000'000;

    explicit SliceView(QWidget *parent = nullptr);

    void setJobs(JobList *jobs);
    /// Shows a tensor; null: nothing. The slice stays if the tensor has the same extents.
    void setTensor(std::shared_ptr<const TensorData> tensor);
    /// Sets the figures of the tensor, which bound the colours; null: they are not known.
    void setStatistics(const StatisticsPointer &statistics);
    void setTheme(const Theme &theme) { m_map->setTheme(theme); }
    const TensorSlice &slice() const { return m_bar->slice(); }
    /// Goes to an element of the tensor.
    void goTo(std::int64_t position);
    /// Copies the selected elements, or the whole slice if no more than one is selected, as text
    /// with tabs.
    void copy();
    bool isBusy() const { return m_model.isBusy() || m_map->isBusy() || m_copier.isRunning(); }

    /// Returns a widget with further settings, for a place beside the view.
    QWidget &tools() { return *m_tools; }
    QTableView &table() { return *m_table; }
    HeatMap &map() { return *m_map; }
    SliceBar &bar() { return *m_bar; }
    ValueModel &model() { return m_model; }

Q_SIGNALS:
    /// Emitted when elements were copied.
    void copied(qint64 elements);
    /// Emitted when elements were not copied, with the reason.
    void refused(const QString &reason);

private:
    void makeTools();
    void setUpValues();
    QWidget *makeTable();
    void setSlice(const TensorSlice &slice);
    void showPages();
    void showCell(std::int64_t row, std::int64_t column);
    QPointer<JobList> m_jobs;
    StatisticsPointer m_statistics;
    ValueModel m_model;
    SliceBar *m_bar;
    QTableView *m_table;
    PageBar *m_rowPages, *m_columnPages;
    HeatMap *m_map;
    QWidget *m_tools;
    ElementEdit *m_go;
    QToolButton *m_ownScale;
    Worker m_copier; // last: its thread ends before what it reports to
};

} // namespace graphloom
