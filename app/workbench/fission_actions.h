// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/fission/fission_edits.h"
#include "app/session/session.h"

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;

namespace graphloom {

/// Editing a plan's F-Tree by hand: the pass that made the plan changes it and costs it anew. Each
/// edit is an entry of the undo stack; what is refused says why, and shows what is in the way.
class FissionActions final : public QObject {
    Q_OBJECT

public:
    FissionActions(QMainWindow &window, Session &session);

    QAction *enable, *disable, *more, *fewer, *lift, *lock;
    std::vector<QAction *> all() const { return {enable, disable, more, fewer, lift, lock}; }
    /// The actions, with the numbers of parts as a menu.
    void addTo(QMenu &menu);
    /// As EditActions::legality() and showCause().
    QString legality() const;
    void showCause(int action);

    /// What they are about: of the F-Tree of the session's plan; -1: nothing.
    void setFission(int fission);
    /// Looks again; after the plan or the session's state has changed.
    void refresh();

Q_SIGNALS:
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    void checked();
    /// By the pass that made the plan.
    void editWanted(const graphloom::Context::FissionEdit &edit, const QString &text);

private:
    QAction *add(const char *icon, const QString &text, const QString &meaning,
                 FissionEdits::Outcome FissionEdits::*outcome);

    QMainWindow &m_window;
    Session &m_session;
    std::map<const QAction *, std::pair<QString, FissionEdits::Outcome FissionEdits::*>> m_actions;
    FissionEdits m_edits;
    int m_fission = -1;
};

} // namespace graphloom
