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

/// Shows plans that trade memory for time: the front of a search, simpler techniques, and what was
/// measured, as a chart and in a table.
class ParetoPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit ParetoPanel(QWidget *parent = nullptr);

    /// Sets the snapshot whose plan's front is shown. Null, or a plan without a front, shows none.
    void setSnapshot(const SnapshotPointer &snapshot);
    /// Sets the measured runs of the model's plans, which are shown next to the front, as series of
    /// their own.
    void setRuns(const std::vector<PlanRunPointer> &runs);
    /// Sets other plans of the model, with memory plans, whose fronts are shown, each with a name.
    void setOthers(std::vector<std::pair<QString, std::shared_ptr<const Plan>>> others);
    /// Sets the objective. If the plan has a front, its limits are drawn as lines across the chart.
    void setObjective(const Objective &objective);
    void setTheme(const Theme &theme);

    ParetoModel &model() { return m_model; }
    ParetoView &view() { return *m_view; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    QToolButton &loadButton() { return *m_load; }
    QString summary() const;

Q_SIGNALS:
    /// Emitted when a point of MemoryPlan::front was clicked, or reached with keys.
    void pointChosen(int front);
    /// Emitted when the plan of a point is to be loaded: by the button, Enter or a double click.
    void pointActivated(int front);
    /// Emitted when the plan and the device of a measured run are to be applied, likewise.
    void runActivated(const graphloom::PlanRunPointer &run);

private:
    QWidget *makeBar();
    void refresh(bool same);
    void showLimits();
    void choose(int number);
    void activate(int number);
    /// Returns the index of a point in the front, or nothing for a point that is not in it.
    std::optional<int> frontOf(int number) const;
    /// Returns the run of a point, or null for a point that is modelled.
    PlanRunPointer runOf(int number) const;
    bool isApplicable(int number) const { return frontOf(number) || runOf(number); }
    bool hasRuns() const;

    SnapshotPointer m_snapshot;
    std::shared_ptr<const MemoryPlan> m_memory;
    Objective m_objective;
    std::vector<PlanRunPointer> m_runs;
    std::vector<std::pair<QString, std::shared_ptr<const Plan>>> m_others;
    ParetoModel m_model;
    QLabel *m_line;
    QToolButton *m_load, *m_whole, *m_energy, *m_absolute;
    ParetoView *m_view;
    FilteredTable *m_list;
    QTabWidget *m_tabs;
};

} // namespace graphloom
