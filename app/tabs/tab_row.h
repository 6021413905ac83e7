// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QToolBar>

namespace graphloom {

/// Keeps a row of a main window free, below its tool bars, for tabs that belong to the window
/// around it. Layouts that are restored do not change whether it is there.
class TabRow final : public QToolBar {
public:
    explicit TabRow(const QString &title) : QToolBar(title)
    {
        setObjectName(QStringLiteral("tabRow")); // in saved layouts
        setMovable(false);
        setContextMenuPolicy(Qt::PreventContextMenu);
        toggleViewAction()->setVisible(false); // in menus of panels
        setVisible(false);
    }

    /// Sets the height of the row; 0 for none.
    void setRoom(int height)
    {
        m_isWanted = height > 0;
        setFixedHeight(height);
        setVisible(m_isWanted);
    }
    void setVisible(bool) override { QToolBar::setVisible(m_isWanted); }

private:
    bool m_isWanted = false;
};

} // namespace graphloom
