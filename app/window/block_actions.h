// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/models/block_edits.h"
#include "app/models/selection.h"
#include "app/window/navigator.h"
#include "app/window/session.h"

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;
class QShortcut;

namespace graphloom {

/// Editing fusion blocks by hand: merge, split, move, lock. What the selection allows is looked at
/// on a worker as soon as it changes; an action that is refused is disabled, its tooltip says why,
/// and so does a message when its keys are pressed. Each edit is an entry of the undo stack.
class BlockActions final : public QObject {
    Q_OBJECT

public:
    /// `placeOf` tells where on the screen an item is, for the menu of blocks it may move to.
    BlockActions(QMainWindow &window, Session &session, Selection &selection,
                 const Navigator &navigator, std::function<QPoint(const Item &)> placeOf);

    QAction *merge, *split, *move, *lock;
    std::vector<QAction *> all() const { return {merge, split, move, lock}; }
    /// The actions, with the blocks that the node may move to as a menu.
    void addTo(QMenu &menu) const;
    /// Is what the selection allows still being looked at?
    bool isChecking() const { return m_checker.isRunning(); }
    /// In a line what the selection allows; empty when nothing that concerns blocks is selected.
    QString legality() const;

    /// Looks again; after the plan or the session's state has changed.
    void refresh();

Q_SIGNALS:
    void refused(const QString &message);
    /// What is allowed has changed.
    void checked();

private:
    struct Findings {
        Result<FusionFactsPointer> facts;
        BlockEdits edits; // empty without facts
    };
    void show(Findings findings);
    void set(QAction &action, const Result<void> &allowed);
    void disableAll(const QString &reason);
    void perform(const QAction &action, const BlockEdits::Outcome &outcome) const;
    void chooseMove();
    void fillMoves(QMenu &menu) const;
    void toggleLock();

    QMainWindow &m_window;
    Session &m_session;
    Selection &m_selection;
    const Navigator &m_navigator;
    std::function<QPoint(const Item &)> m_placeOf;
    std::map<const QAction *, QString> m_meanings, m_reasons; // what it does; why it cannot
    std::map<const QAction *, QShortcut *> m_keysOfDisabled;
    FusionFactsPointer m_facts;
    std::shared_ptr<const GraphFacts> m_factsOf; // the graph that m_facts are of
    BlockEdits m_edits;
    Worker m_checker; // last: see Session
};

} // namespace graphloom
