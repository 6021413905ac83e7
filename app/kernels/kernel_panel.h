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

/// What the plan's kernels took on a target: a table linked both ways to the selection, beside it
/// the code of the current kernel, the roofline of all, and what a tuner tried for them. The form
/// above says how to measure, and how long to tune.
class KernelPanel final : public QWidget {
    Q_OBJECT

public:
    KernelPanel(Selection &selection, QAction *run, QAction *tune, QAction *cancel,
                QWidget *parent = nullptr);

    /// Whose run is shown: of the plan that is, or of another one, such as the one before an undo.
    enum class State { Current, Stale };
    /// Null for none. `linked`: see KernelModel.
    void setRun(const PlanRunPointer &run, State state, bool linked);
    RunOptions options() const;
    void setOptions(const RunOptions &options);
    TuneLimits limits() const;
    void setLimits(const TuneLimits &limits);
    /// A tuner begins with a plan's kernels; null: what one did is gone.
    void beginTuning(std::shared_ptr<const Plan> plan);
    /// What to say until there is a run, and the action that makes one.
    void setHint(const QString &hint, QAction *action);
    void setTheme(const Theme &theme);

    enum class Tab { Source, Roofline, Tuning };
    void showTab(Tab tab);
    /// The table at the left.
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
