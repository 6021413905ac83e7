// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/panels/panel.h"

#include <QObject>

#include <map>

class QDockWidget;
class QMainWindow;
class QMenu;

namespace graphloom {

/// Holds the panels of a window in their docks, with a command for each that raises it.
class PanelDocks final : public QObject {
    Q_OBJECT

public:
    PanelDocks(QMainWindow &window, Workbench &bench);

    const std::vector<PanelPointer> &panels() const { return m_panels; }
    QDockWidget &dock(const QString &key) const;
    /// Raises a panel.
    void raise(const QString &key);
    /// Restores the initial arrangement of the panels.
    void reset();
    /// Returns a command for each panel.
    const std::vector<QAction *> &actions() const { return m_actions; }

    void setSnapshot(const SnapshotPointer &shown);
    void setTheme(const std::shared_ptr<const Theme> &theme);
    void updateHints();
    void restore(const QSettings &settings);
    void save(QSettings &settings) const;
    bool isBusy() const;

Q_SIGNALS:
    void raised();
    /// Emitted when a panel that had the focus was hidden.
    void focusLost();

private:
    void arrange();
    void addAction(QDockWidget &dock);
    void goTo(QDockWidget &dock);

    QMainWindow &m_window;
    std::vector<PanelPointer> m_panels;
    std::map<QString, QDockWidget *> m_docks;
    std::vector<QAction *> m_actions; // in the order of the panels
    QByteArray m_first;               // the initial arrangement
};

} // namespace graphloom
