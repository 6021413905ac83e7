// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/pareto/pareto_model.h"
#include "app/snapshot/snapshot.h"
#include "app/style/theme.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"
#include "engine/plan/objective.h"

class QLabel;
class QTabWidget;
class QToolButton;

namespace graphloom {

class ParetoView;

/// The plans between which memory is paid for with time: the front of a search, simpler means, and
/// what was measured, as a chart and in a table.
class ParetoPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit ParetoPanel(QWidget *parent = nullptr);

    /// The front of the snapshot's plan; null, or of a plan without one: none.
    void setSnapshot(const SnapshotPointer &snapshot);
    /// What was measured of the model's plans; shown beside the front, as series of their own.
    void setRuns(const std::vector<PlanRunPointer> &runs);
    /// Fronts of other plans of the model, each with a name.
    void setOthers(std::vector<std::pair<QString, std::shared_ptr<const MemoryPlan>>> others);
    /// Its limits are lines across the chart, where the plan has a front.
    void setObjective(const Objective &objective);
    void setTheme(const Theme &theme);

    ParetoModel &model() { return m_model; }
    ParetoView &view() { return *m_view; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QToolButton &loadButton() { return *m_load; }
    QString summary() const;

Q_SIGNALS:
    /// A point of MemoryPlan::front was clicked, or walked to.
    void pointChosen(int front);
    /// Its plan is wanted: the button, Enter or a double click.
    void pointActivated(int front);

private:
    QWidget *makeBar();
    void refresh(bool same);
    void showLimits();
    void choose(int number);
    void activate(int number);
    /// Of a point; none of one that is not of the front.
    std::optional<int> frontOf(int number) const;

    SnapshotPointer m_snapshot;
    std::shared_ptr<const MemoryPlan> m_memory;
    Objective m_objective;
    std::vector<PlanRunPointer> m_runs;
    std::vector<std::pair<QString, std::shared_ptr<const MemoryPlan>>> m_others;
    ParetoModel m_model;
    QLabel *m_line;
    QToolButton *m_load, *m_whole;
    ParetoView *m_view;
    FilteredTable *m_list;
    QTabWidget *m_tabs;
};

} // namespace graphloom
