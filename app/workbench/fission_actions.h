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

/// Edits a plan's F-Tree by hand: the pass that made the plan changes it and computes the costs
/// again. Each edit is an entry of the undo stack; a refusal gives the reason and shows the regions
/// that are in the way.
class FissionActions final : public QObject {
    Q_OBJECT

public:
    FissionActions(QMainWindow &window, Session &session);

    QAction *enable, *disable, *more, *fewer, *lift, *lock;
    std::vector<QAction *> all() const { return {enable, disable, more, fewer, lift, lock}; }
    /// Adds the actions to a menu, with the numbers of parts as a submenu.
    void addTo(QMenu &menu);
    /// Returns the line as EditActions::legality() does; showCause() as that of EditActions.
    QString legality() const;
    void showCause(int action);

    /// Sets the fission to edit, an index into the F-Tree of the session's plan; -1 for none.
    void setFission(int fission);
    /// Checks the edits again, after the plan or the session's state has changed.
    void refresh();

Q_SIGNALS:
    void refused(const QString &message, const std::vector<graphloom::Item> &cause);
    void checked();
    /// Emitted when the pass that made the plan is to carry out an edit.
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
