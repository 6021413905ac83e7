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

/// Edits the plan by hand: fusion blocks or subgraphs (merge, split, move, lock), the order of
/// steps, and the layouts of blocks. A worker checks the edits that the selection allows as soon as
/// it changes. An action that is refused is disabled and its tooltip gives the reason; pressing its
/// keys shows the reason as a message with the nodes that are the cause. Each edit is an entry of
/// the undo stack.
class EditActions final : public QObject {
    Q_OBJECT

public:
    /// Creates the actions. `placeOf` returns the position of an item on the screen, for the menu
    /// of groups that it can be moved to.
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
    /// Adds the actions to a menu, with the groups that the node can be moved to as a submenu.
    void addTo(QMenu &menu) const;
    /// Tells whether the edits that the selection allows are still being checked.
    bool isChecking() const { return m_checker.isRunning(); }
    /// Returns a line about the edits that the selection allows, as rich text whose links are for
    /// showCause(); empty if nothing that concerns groups is selected.
    QString legality() const;
    /// Shows again why an action is refused; `action` is its index in all().
    void showCause(int action);

    /// Sets the kind of groups that nodes stand for.
    void setGrouping(Grouping grouping);
    /// Checks the edits again, after the plan or the session's state has changed.
    void refresh();

Q_SIGNALS:
    /// Emitted when an edit is refused; `cause` holds the nodes that are the cause, if there are
    /// any.
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    /// Emitted when the edits that are allowed have changed.
    void checked();

private:
    struct Findings {
        Result<FusionFactsPointer> facts;
        PlanEdits edits; // empty without facts
    };
    /// Holds what is known of an action besides the QAction.
    struct Entry {
        QString meaning, reason;   // what the action does; why it is refused
        std::vector<Item> cause;   // of the refusal
        QShortcut *keys = nullptr; // works while the action is disabled
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
    /// Graph that m_facts was made for, and the partition of its blocks.
    std::pair<std::shared_ptr<const GraphFacts>, std::shared_ptr<const Partition>> m_factsOf;
    PlanEdits m_edits;
    Worker m_checker; // last: see Session
};

} // namespace graphloom
