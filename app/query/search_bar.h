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

/// Finds nodes, inputs and outputs by a query in the model's graph and in those nested in it, and
/// walks through the matches:
/// Enter and F3 to the next, Shift+Enter and Shift+F3 to the one before, Escape closes. Under the
/// line is said what is wrong with the query.
class SearchBar final : public QFrame, public KeyedView {
    Q_OBJECT

public:
    explicit SearchBar(Selection &selection, QWidget *parent = nullptr);

    void setSnapshot(SnapshotPointer snapshot);
    /// Columns of the user's own that can be asked for; null: none.
    void setOwnData(OwnTablePointer own);
    /// Where a search that takes a while is listed; null: nowhere.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// What is shown is of what was typed before: the rest goes on in the background.
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
    /// Those in the graph that is shown.
    void matchesChanged(const std::vector<graphloom::Item> &matches);
    /// A match in another graph: whoever gets this shows that, and selects the item.
    void chosenElsewhere(const graphloom::Place &place);
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void search();
    void take(std::vector<Place> matches);
    /// Once the search is up to date; at once where it is.
    void whenFound(std::function<void()> act);
    void step(int by);
    void followSelection();
    void showCount();

    ViewKeys m_keys{tr("Find")};
    Selection &m_selection;
    SnapshotPointer m_snapshot; // of the graph that is shown
    QueryEdit *m_edit;
    QLabel *m_count, *m_problem;
    QToolButton *m_selectAll;
    std::vector<Place> m_matches;
    std::size_t m_elsewhere = 0; // of them, in other graphs than the one that is shown
    int m_current = -1;
    QTimer m_patience;               // typing fast searches once
    std::function<void()> m_waiting; // for the search
    JobList *m_jobs = nullptr;
    Worker m_worker; // last: its thread ends first
};

} // namespace graphloom
