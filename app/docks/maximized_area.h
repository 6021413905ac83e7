// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDockWidget>
#include <QObject>
#include <QPointer>

class QMainWindow;

namespace graphloom {

/// Gives one place of a window, with all docks that are tabs there, the room of everything else,
/// until it is restored. Floating docks stay as they are.
class MaximizedArea final : public QObject {
    Q_OBJECT

public:
    /// `version` is that of QMainWindow::saveState().
    MaximizedArea(QMainWindow &window, int version);

    bool isOn() const { return !m_before.isEmpty(); }
    /// Returns the dock in front of the maximized place, or null if none is maximized.
    const QDockWidget *front() const;
    /// Maximizes the place of a dock, which must be docked and is raised, or restores the layout.
    void toggle(QDockWidget &dock);
    /// Restores the layout, if a place is maximized.
    void restore();
    /// Restores the layout unless the dock has a tab in the maximized place.
    void makeRoomFor(const QDockWidget &dock);
    /// Returns the state of the layout as it is while nothing is maximized.
    QByteArray state() const;
    /// Forgets the layout from before, as another one is about to replace it.
    void forget();

Q_SIGNALS:
    void changed(bool on);

private:
    void maximize(QDockWidget &dock);
    void restoreIfEmpty();

    QMainWindow &m_window;
    int m_version;
    QByteArray m_before;          // the layout while a place is maximized
    QPointer<QDockWidget> m_dock; // that was maximized last
};

} // namespace graphloom
