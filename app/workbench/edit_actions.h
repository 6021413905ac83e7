// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/fusion/plan_edits.h"
#include "app/graph/navigator.h"
#include "app/session/session.h"
#include "app/snapshot/selection.h"

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;
class QShortcut;

namespace graphloom {

/// Editing the plan by hand: fusion blocks or subgraphs (merge, split, move, lock), the order of
/// steps, the layouts of blocks. What the selection allows is looked at on a worker as soon as it
/// changes; an action that is refused is disabled, its tooltip says why, and so does a message when
/// its keys are pressed, with the nodes that are the cause. Each edit is an entry of the undo
/// stack.
class EditActions final : public QObject {
    Q_OBJECT

public:
    /// `placeOf` tells where on the screen an item is, for the menu of groups it may move to.
    EditActions(QMainWindow &window, Session &session, Selection &selection,
                const Navigator &navigator, std::function<QPoint(const Item &)> placeOf);

    QAction *merge, *split, *move, *lock;
    QAction *earlier, *later;
    QAction *channelsFirst, *channelsLast, *freeLayout;
    std::vector<QAction *> ofGroups() const { return {merge, split, move, lock}; }
    std::vector<QAction *> all() const
    {
        return {merge, split, move, lock, earlier, later, channelsFirst, channelsLast, freeLayout};
    }
    /// The actions, with the groups that the node may move to as a menu.
    void addTo(QMenu &menu) const;
    /// Is what the selection allows still being looked at?
    bool isChecking() const { return m_checker.isRunning(); }
    /// In a line what the selection allows, as rich text whose links are for showCause(); empty
    /// when nothing that concerns groups is selected.
    QString legality() const;
    /// Says again why an action is refused, by its place in all().
    void showCause(int action);

    /// Whose groups nodes stand for.
    void setGrouping(Grouping grouping);
    /// Looks again; after the plan or the session's state has changed.
    void refresh();

Q_SIGNALS:
    /// `cause`: nodes, where there are any.
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    /// What is allowed has changed.
    void checked();

private:
    struct Findings {
        Result<FusionFactsPointer> facts;
        PlanEdits edits; // empty without facts
    };
    /// What is known of an action besides itself.
    struct Entry {
        QString meaning, reason;   // what it does; why it cannot
        std::vector<Item> cause;   // of that
        QShortcut *keys = nullptr; // while it is disabled
    };
    QAction *add(const char *icon, const QString &text, const QString &keys,
                 const QString &meaning);
    void show(Findings findings);
    void nameGroups();
    void set(QAction &action, const Result<void> &allowed);
    void disableAll(const QString &reason);
    void perform(const QAction &action, const EditOutcome &outcome) const;
    void chooseMove();
    void fillMoves(QMenu &menu) const;

    QMainWindow &m_window;
    Session &m_session;
    Selection &m_selection;
    const Navigator &m_navigator;
    std::function<QPoint(const Item &)> m_placeOf;
    std::map<const QAction *, Entry> m_entries;
    Grouping m_grouping = Grouping::None;
    FusionFactsPointer m_facts;
    /// What m_facts are of: a graph, and the partition that its blocks lie in.
    std::pair<std::shared_ptr<const GraphFacts>, std::shared_ptr<const Partition>> m_factsOf;
    PlanEdits m_edits;
    Worker m_checker; // last: see Session
};

} // namespace graphloom
