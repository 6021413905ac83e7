// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/kernels/kernel_model.h"
#include "app/snapshot/selection.h"
#include "app/style/theme.h"
#include "app/widgets/filtered_table.h"

class QAction;
class QLabel;
class QSpinBox;
class QTabWidget;

namespace graphloom {

class HintedPanel;
class RooflineView;
class SourceView;
class TuningPanel;

/// Shows the times of the plan's kernels on a target: a table that follows the selection and sets
/// it, beside it the code of the current kernel, the roofline of all kernels, and the trials of a
/// tuner. The form above sets how to measure and how long to tune.
class KernelPanel final : public QWidget {
    Q_OBJECT

public:
    KernelPanel(Selection &selection, QAction *run, QAction *tune, QAction *cancel,
                QWidget *parent = nullptr);

    /// Tells whether the run is of the plan that is shown, or of another one, such as the one
    /// before an undo.
    enum class State { Current, Stale };
    /// Sets the run to show; null for none. `linked`: see KernelModel.
    void setRun(const PlanRunPointer &run, State state, bool linked);
    RunOptions options() const;
    void setOptions(const RunOptions &options);
    TuneLimits limits() const;
    void setLimits(const TuneLimits &limits);
    /// Shows that tuning of a plan's kernels begins; null removes the trials of the last tuning.
    void beginTuning(std::shared_ptr<const Plan> plan);
    /// Sets the text to show until there is a run, and the action that makes one.
    void setHint(const QString &hint, QAction *action);
    void setTheme(const Theme &theme);

    enum class Tab { Source, Roofline, Tuning };
    void showTab(Tab tab);
    /// Identifies a table on the left.
    enum class List { Kernels, Trials };
    void showList(List list);

    bool isEmpty() const;
    QString statisticsText() const;
    KernelModel &model() { return m_model; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QLineEdit &filterEdit() { return m_list->edit(); }
    SourceView &source() { return *m_source; }
    RooflineView &roofline() { return *m_roofline; }
    TuningPanel &tuning() { return *m_tuning; }

Q_SIGNALS:
    void activated(const graphloom::Item &item);
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);

private:
    QWidget *makeForm(QAction *run, QAction *tune, QAction *cancel);
    void showCurrent();
    void chooseKernel(const KernelPlace &place);
    void updateEmpty();

    KernelModel m_model;
    State m_state = State::Current;
    QSpinBox *m_runs, *m_threads, *m_seconds, *m_trials;
    QLabel *m_statistics, *m_note;
    HintedPanel *m_body;
    FilteredTable *m_list;
    QTabWidget *m_lists, *m_tabs;
    SourceView *m_source;
    RooflineView *m_roofline;
    TuningPanel *m_tuning;
};

} // namespace graphloom
