// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/model_tab_bar.h"

#include "app/style/icons.h"

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

namespace graphloom {

namespace {

constexpr int leastWidth = 110, mostWidth = 240; // of a tab

} // namespace

ModelTabBar::ModelTabBar(QWidget *parent) : QTabBar(parent)
{
    setObjectName(QStringLiteral("modelTabs"));
    setAccessibleName(tr("Open models"));
    setAutoFillBackground(true);
    setExpanding(false);
    setMovable(true);
    setUsesScrollButtons(true);
    setElideMode(Qt::ElideMiddle); // the ends of names tell models apart
    setIconSize({14, 14});
    setFocusPolicy(Qt::TabFocus);
}

int ModelTabBar::add(QWidget *page)
{
    int tab = 0;
    {
        const QSignalBlocker blocker(this); // until the tab has its page
        tab = addTab({});
        setTabData(tab, QVariant::fromValue(page));
    }
    auto *close = new QToolButton;
    close->setObjectName(QStringLiteral("closeModel"));
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setIconSize({12, 12});
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::NoFocus); // Ctrl+W closes the model
    connect(close, &QToolButton::clicked, this, [this, page] { Q_EMIT closeWanted(tabOf(page)); });
    setTabButton(tab, QTabBar::RightSide, close);
    if (count() == 1)
        Q_EMIT currentChanged(tab);
    return tab;
}

QWidget *ModelTabBar::pageOf(int tab) const
{
    return tabData(tab).value<QWidget *>();
}

int ModelTabBar::tabOf(const QWidget *page) const
{
    for (int tab = 0; tab < count(); ++tab)
        if (pageOf(tab) == page)
            return tab;
    return -1;
}

void ModelTabBar::setFace(int tab, const Face &face)
{
    QString text = face.title;
    text.replace('&', QStringLiteral("&&"));
    if (face.isModified)
        text += QStringLiteral(" •");
    if (tabText(tab) != text)
        setTabText(tab, text);
    setTabToolTip(tab, face.toolTip);
    if (tabIcon(tab).isNull() == face.isWorking)
        setTabIcon(tab, face.isWorking ? themedIcon(QStringLiteral("working")) : QIcon());
    auto *close = static_cast<QToolButton *>(tabButton(tab, QTabBar::RightSide));
    close->setToolTip(tr("Close %1").arg(face.title));
    close->setAccessibleName(close->toolTip());
}

QSize ModelTabBar::tabSizeHint(int tab) const
{
    const QSize size = QTabBar::tabSizeHint(tab);
    return {qBound(leastWidth, size.width(), mostWidth), size.height()};
}

/// Lets the bar scroll before names become unreadable.
QSize ModelTabBar::minimumTabSizeHint(int tab) const
{
    return tabSizeHint(tab);
}

/// Draws lines between the tabs, too.
void ModelTabBar::paintEvent(QPaintEvent *event)
{
    constexpr int margin = 7;
    QTabBar::paintEvent(event);
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::Mid));
    for (int tab = 0; tab < count(); ++tab)
        if (tab != currentIndex() && tab + 1 != currentIndex()) {
            const QRect rect = tabRect(tab).adjusted(0, margin, 0, -margin);
            painter.drawLine(rect.topRight(), rect.bottomRight());
        }
}

void ModelTabBar::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::MiddleButton)
        m_pressed = tabAt(event->position().toPoint());
    else
        QTabBar::mousePressEvent(event);
}

void ModelTabBar::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::MiddleButton) {
        QTabBar::mouseReleaseEvent(event);
        return;
    }
    const int tab = tabAt(event->position().toPoint());
    if (tab >= 0 && tab == std::exchange(m_pressed, -1))
        Q_EMIT closeWanted(tab);
}

void ModelTabBar::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const int tab = byKey ? currentIndex() : tabAt(event->pos());
    if (tab >= 0)
        Q_EMIT menuWanted(tab, byKey ? mapToGlobal(tabRect(tab).bottomLeft()) : event->globalPos());
}

} // namespace graphloom
