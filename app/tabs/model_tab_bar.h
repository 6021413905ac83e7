// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabBar>

namespace graphloom {

/// Shows open models as tabs, which can be moved and closed. A middle click closes a tab, too.
class ModelTabBar final : public QTabBar {
    Q_OBJECT

public:
    /// Describes a model on its tab.
    struct Face {
        QString title, toolTip;
        bool isModified = false, isWorking = false;
    };

    explicit ModelTabBar(QWidget *parent = nullptr);

    /// Adds a tab at the end for what it shows, and returns its index.
    int add(QWidget *page);
    QWidget *pageOf(int tab) const;
    /// Returns the tab of a page, or -1 if it has none.
    int tabOf(const QWidget *page) const;
    void setFace(int tab, const Face &face);

Q_SIGNALS:
    void closeWanted(int tab);
    void menuWanted(int tab, const QPoint &globalPlace);

protected:
    void paintEvent(QPaintEvent *event) override;
    QSize tabSizeHint(int tab) const override;
    QSize minimumTabSizeHint(int tab) const override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    int m_pressed = -1; // tab that the middle button was pressed on
};

} // namespace graphloom
