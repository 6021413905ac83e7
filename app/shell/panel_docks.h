// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/docks/dock_sizes.h"
#include "app/docks/dock_tabs.h"
#include "app/docks/maximized_area.h"
#include "app/panels/panel.h"

#include <QObject>
#include <QTimer>

#include <map>

class QDockWidget;
class QMainWindow;
class QMenu;

namespace graphloom {

/// Describes how the panels of a window are arranged.
struct PanelLayout {
    QByteArray state;
    QVariantList sizes;
    QString maximized; // key of a panel whose place has the whole window; empty: none
    bool operator==(const PanelLayout &) const = default;
};

/// Holds the panels of a window in their docks, with a command for each that raises it. The place
/// of a panel can be maximized.
class PanelDocks final : public QObject {
    Q_OBJECT

public:
    PanelDocks(QMainWindow &window, Workbench &bench);

    const std::vector<PanelPointer> &panels() const { return m_panels; }
    QDockWidget &dock(const QString &key) const;
    /// Raises a panel; in a tab that is not shown, when raiseWanted() is called.
    void raise(const QString &key);
    void raiseWanted();
    /// Restores the initial arrangement of the panels.
    void reset();
    /// Returns a command for each panel.
    const std::vector<QAction *> &actions() const { return m_actions; }

    /// Sets the snapshot of the panels that can be seen, and soon after, one in an event, of those
    /// behind other tabs.
    void setSnapshot(const SnapshotPointer &shown);
    void setTheme(const std::shared_ptr<const Theme> &theme);
    void updateHints();
    void restore(const QSettings &settings);
    void save(QSettings &settings) const;
    /// Returns the arrangement, to carry it over to another window.
    PanelLayout layout() const;
    void setLayout(const PanelLayout &layout);
    /// Hides panels that float, as the window is no longer shown.
    void hideFloating();
    bool isBusy() const;

Q_SIGNALS:
    void raised();
    /// Emitted when a panel that had the focus was hidden.
    void focusLost();

private:
    void arrange();
    void connectBench(Workbench &bench);
    void connectMaximizing(Workbench &bench);
    void addAction(QDockWidget &dock);
    void goTo(QDockWidget &dock);
    void noteFocus(const QWidget *focused);
    void toggleMaximized();
    void update(Panel &panel);
    void updateNext();

    QMainWindow &m_window;
    std::vector<PanelPointer> m_panels;
    std::map<QString, QDockWidget *> m_docks;
    std::vector<QAction *> m_actions; // in the order of the panels
    QByteArray m_first;               // the initial arrangement
    QDockWidget *m_last = nullptr;    // that the user or the program has come to last
    QString m_wanted;                 // to be raised in the tab when it is shown
    DockSizes m_sizes;
    MaximizedArea m_maximized;
    std::unique_ptr<DockTabs> m_tabs;
    SnapshotPointer m_shown;
    std::vector<Panel *> m_outdated; // do not have it yet
    QTimer m_updating;
};

} // namespace graphloom
