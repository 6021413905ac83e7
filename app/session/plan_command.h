// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/session/session.h"

#include <QUndoCommand>

namespace graphloom {

/// Takes the session from one state of the plan to another, as a command of its undo stack.
class Session::PlanCommand final : public QUndoCommand {
public:
    PlanCommand(Session &session, const QString &text, SnapshotPointer before,
                SnapshotPointer after, Change change)
        : QUndoCommand(text), m_session(session), m_before(std::move(before)),
          m_after(std::move(after)), m_change(change)
    {
    }
    void undo() override { m_session.display(m_before, m_change); }
    void redo() override { m_session.display(m_after, m_change); }
    const SnapshotPointer &before() const { return m_before; }
    const SnapshotPointer &after() const { return m_after; }
    Change change() const { return m_change; }

private:
    Session &m_session;
    SnapshotPointer m_before, m_after;
    const Change m_change;
};

} // namespace graphloom
