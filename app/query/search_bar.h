// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/worker.h"
#include "app/query/query_edit.h"
#include "app/query/search.h"
#include "app/snapshot/selection.h"
#include "app/widgets/view_keys.h"

#include <QFrame>
#include <QTimer>

class QLabel;
class QToolButton;

namespace graphloom {

/// Finds nodes, inputs and outputs by a query, in the model's graph and in graphs nested in it, and
/// walks through the matches: Enter and F3 go to the next, Shift+Enter and Shift+F3 to the
/// previous, Escape closes the bar. The problem of a query is shown below the line.
class SearchBar final : public QFrame, public KeyedView {
    Q_OBJECT

public:
    explicit SearchBar(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Sets the user data whose columns queries can ask for; null: none.
    void setOwnData(OwnTablePointer own);
    /// Sets the list in which long searches appear; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Tells whether a search continues in the background. Until it ends, the matches of the
    /// previous query are shown.
    bool isSearching() const { return m_worker.isRunning(); }
    void open();
    void close();
    void next() { step(1); }
    void previous() { step(-1); }

    /// Selects all matches in the graph that is shown.
    void selectAll();

    const ViewKeys &keys() const override { return m_keys; }
    QueryEdit &edit() { return *m_edit; }
    QToolButton &selectAllButton() { return *m_selectAll; }
    QString problem() const;
    const std::vector<Place> &matches() const { return m_matches; }

Q_SIGNALS:
    /// Emitted when the matches have changed. `matches` are those in the graph that is shown.
    void matchesChanged(const std::vector<graphloom::Item> &matches);
    /// Emitted when a match in another graph was chosen. The receiver shows that graph and selects
    /// the item.
    void chosenElsewhere(const graphloom::Place &place);
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// Places of the keys in m_keys.
    enum Key : std::size_t { NextKey, PreviousKey, AllKey, CloseKey };
    void addKeys();
    void search();
    void take(std::vector<Place> matches);
    /// Calls a function once the search is up to date, which may be at once.
    void whenFound(std::function<void()> act);
    void step(int by);
    void followSelection();
    void showCount();

    ViewKeys m_keys{tr("Find")};
    Selection &m_selection;
    SnapshotPointer m_snapshot; // snapshot of the graph that is shown
    QueryEdit *m_edit;
    QLabel *m_count, *m_problem;
    QToolButton *m_selectAll;
    std::vector<Place> m_matches;
    std::size_t m_elsewhere = 0; // number of matches in other graphs
    int m_current = -1;
    QTimer m_patience;               // delays the search while the user types
    std::function<void()> m_waiting; // what whenFound() calls
    JobList *m_jobs = nullptr;
    Worker m_worker; // declared last, so that its thread ends first
};

} // namespace graphloom
