// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/runs/run_model.h"
#include "app/style/theme.h"
#include "app/widgets/filtered_table.h"
#include "app/widgets/hinted_panel.h"

#include <QTimer>

class QAction;
class QLabel;
class QTabWidget;

namespace graphloom {

class SearchView;

/// Shows all runs of passes on the model side by side, with the searches of the chosen ones: the
/// best cost so far, and the reasons why candidates were rejected.
class RunPanel final : public HintedPanel {
    Q_OBJECT

public:
    explicit RunPanel(QWidget *parent = nullptr);

    /// Sets the actions for the runs that are chosen.
    void setActions(const std::vector<QAction *> &actions);
    void set(const PassRun &run);
    void remove(int number);
    void setTheme(const Theme &theme);

    /// Returns the numbers of the chosen runs, the current one first.
    std::vector<int> chosen() const;
    void choose(int number);
    /// Draws the curves of the chosen runs for export, even while the view is hidden, and returns
    /// it.
    SearchView &drawnSearch();
    RunModel &model() { return m_model; }
    RefusalModel &refusals() { return m_refusals; }
    SearchView &search() { return *m_search; }
    QTableView &table() { return m_list->table(); }
    FilteredTable &list() { return *m_list; }
    FilteredTable &reasons() { return *m_reasons; }
    QString lineText() const;

Q_SIGNALS:
    void choiceChanged();
    void activated(int number);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void showChosen();
    std::vector<PassRun> chosenRuns() const;

    RunModel m_model;
    RefusalModel m_refusals;
    FilteredTable *m_list, *m_reasons;
    QLabel *m_line;
    SearchView *m_search;
    QTabWidget *m_tabs;
    QTimer m_drawing; // lets the event end that changed the curves, as drawing them takes long
};

} // namespace graphloom
