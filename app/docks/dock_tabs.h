// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <map>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace graphloom {

/// Makes the tabs of a window's docks their only titles: docks that are tabs have no title bar
/// below, and what it offers is in buttons at the end of the tabs and in their menus. Where the
/// names do not fit, tabs behind the front one show the docks' window icons.
class DockTabs final : public QObject {
    Q_OBJECT

public:
    explicit DockTabs(QMainWindow &window);

    /// Fits the tabs to their docks and to the room that they have; the window's layout calls it.
    void refresh();
    /// Sets whether the docks of one place have the whole window.
    void setMaximized(bool maximized);

Q_SIGNALS:
    /// Emitted when the place of a dock is to have the whole window, or no longer.
    void maximizeWanted(QDockWidget *dock);
    /// Emitted when the user clicks on the tab of a dock.
    void clicked(QDockWidget *dock);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Corner;

    void adopt(QTabBar &bar);
    void fit(QTabBar &bar);
    void fitTitle(QDockWidget &dock);
    void showMenu(QDockWidget &dock, const QPoint &globalPlace);
    bool isAtTitle(const QDockWidget &dock, const QPoint &place) const;

    QMainWindow &m_window;
    std::map<const QTabBar *, Corner *> m_corners;
    bool m_isMaximized = false;
    bool m_isFitting = false;
};

} // namespace graphloom
