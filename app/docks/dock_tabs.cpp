// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/dock_tabs.h"

#include "app/docks/dock_areas.h"
#include "app/style/icons.h"
#include "app/style/style.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QMenu>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>

namespace graphloom {

/// The buttons at the end of the tabs, for the dock in front.
class DockTabs::Corner final : public QWidget {
    Q_DECLARE_TR_FUNCTIONS(DockTabs)

public:
    Corner(QTabBar &bar, DockTabs &tabs) : QWidget(&bar), m_bar(bar)
    {
        setAutoFillBackground(true);
        setCursor(Qt::ArrowCursor);
        auto *row = new QHBoxLayout(this);
        row->setContentsMargins(4, 0, 2, 0);
        row->setSpacing(0);
        m_maximize = addButton(*row, "maximizeTabs");
        QObject::connect(m_maximize, &QToolButton::clicked, &tabs, [this, &tabs] {
            if (QDockWidget *dock = front())
                Q_EMIT tabs.maximizeWanted(dock);
        });
        QToolButton *floating = addButton(*row, "floatTab");
        floating->setIcon(themedIcon(QStringLiteral("float")));
        floating->setToolTip(tr("Float the panel in a window of its own"));
        QObject::connect(floating, &QToolButton::clicked, &tabs, [this] {
            if (QDockWidget *dock = front())
                dock->setFloating(true);
        });
        QToolButton *close = addButton(*row, "closeTab");
        close->setIcon(themedIcon(QStringLiteral("close")));
        close->setToolTip(tr("Close the panel"));
        QObject::connect(close, &QToolButton::clicked, &tabs, [this] {
            if (QDockWidget *dock = front())
                dock->close();
        });
        setMaximized(false);
    }

    void setMaximized(bool maximized)
    {
        m_maximize->setIcon(
            themedIcon(maximized ? QStringLiteral("restore") : QStringLiteral("maximize")));
        m_maximize->setToolTip(maximized ? tr("Restore the other panels")
                                         : tr("Maximize these panels (double-click on a tab)"));
        for (auto *button : findChildren<QToolButton *>())
            button->setAccessibleName(button->toolTip());
    }

    /// Places the buttons at the right, unless tabs are there.
    void place(bool hasRoom)
    {
        const QSize size = sizeHint();
        setGeometry(m_bar.width() - size.width(), 0, size.width(), m_bar.height());
        setVisible(hasRoom);
        raise();
    }

private:
    static QToolButton *addButton(QHBoxLayout &row, const char *name)
    {
        constexpr int iconSize = 14;
        auto *button = new QToolButton;
        button->setObjectName(QLatin1String(name));
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setIconSize({iconSize, iconSize});
        row.addWidget(button);
        return button;
    }
    QDockWidget *front() const { return dockOfTab(m_bar, m_bar.currentIndex()); }

    QTabBar &m_bar;
    QToolButton *m_maximize;
};

DockTabs::DockTabs(QMainWindow &window) : QObject(&window), m_window(window)
{
    window.installEventFilter(this);
    for (auto *dock : window.findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly)) {
        dock->installEventFilter(this);
        connect(dock, &QDockWidget::topLevelChanged, this, &DockTabs::refresh,
                Qt::QueuedConnection);
    }
    refresh();
}

void DockTabs::refresh()
{
    if (m_isFitting)
        return;
    m_isFitting = true;
    for (QTabBar *bar : dockTabBars(m_window)) {
        if (!m_corners.contains(bar))
            adopt(*bar);
        fit(*bar);
    }
    // Not while the user drags a dock, whose title bar takes part in it.
    if (QApplication::mouseButtons() == Qt::NoButton)
        for (auto *dock : m_window.findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly))
            fitTitle(*dock);
    m_isFitting = false;
}

void DockTabs::adopt(QTabBar &bar)
{
    auto *corner = new Corner(bar, *this);
    corner->setMaximized(m_isMaximized);
    m_corners[&bar] = corner;
    connect(&bar, &QObject::destroyed, this, [this, &bar] { m_corners.erase(&bar); });
    bar.installEventFilter(this);
    bar.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&bar, &QTabBar::currentChanged, this, [this] {
        if (m_window.isVisible()) // otherwise when it is shown
            refresh();
    });
    connect(&bar, &QTabBar::tabBarClicked, this, [this, &bar](int tab) {
        if (QDockWidget *dock = dockOfTab(bar, tab))
            Q_EMIT clicked(dock);
    });
    connect(&bar, &QTabBar::tabBarDoubleClicked, this, [this, &bar](int tab) {
        if (QDockWidget *dock = dockOfTab(bar, tab))
            Q_EMIT maximizeWanted(dock);
    });
    connect(&bar, &QTabBar::customContextMenuRequested, this, [this, &bar](const QPoint &place) {
        if (QDockWidget *dock = dockOfTab(bar, bar.tabAt(place)))
            showMenu(*dock, bar.mapToGlobal(place));
    });
}

/// Shows names, or icons where there is not enough room for the names.
void DockTabs::fit(QTabBar &bar)
{
    Corner &corner = *m_corners.at(&bar);
    const int space = bar.style()->pixelMetric(QStyle::PM_TabBarTabHSpace, nullptr, &bar);
    int names = 0;
    for (int tab = 0; tab < bar.count(); ++tab)
        names += space + bar.fontMetrics().size(Qt::TextShowMnemonic, bar.tabText(tab)).width();
    const int room = bar.width() - corner.sizeHint().width();
    const bool asIcons = names > room;
    bar.setProperty(Style::iconTabs, asIcons);
    for (int tab = 0; tab < bar.count(); ++tab) {
        const QDockWidget *dock = dockOfTab(bar, tab);
        if (!dock)
            continue;
        if (const QString tip = dock->toggleViewAction()->toolTip(); bar.tabToolTip(tab) != tip)
            bar.setTabToolTip(tab, tip);
        if (const QIcon icon = asIcons ? dock->windowIcon() : QIcon();
            icon.isNull() != bar.tabIcon(tab).isNull())
            bar.setTabIcon(tab, icon);
    }
    corner.place(bar.count() > 0 && bar.tabRect(bar.count() - 1).right() <= room);
}

/// Gives the dock a title bar if it has no tab.
void DockTabs::fitTitle(QDockWidget &dock)
{
    const bool isTab = isDocked(dock) && docksOfPlace(m_window, dock).size() > 1;
    if (isTab == (dock.titleBarWidget() != nullptr))
        return;
    QWidget *before = dock.titleBarWidget();
    QWidget *none = isTab ? new QWidget : nullptr; // null: Qt's own
    if (none)
        none->setFixedSize(0, 0);
    dock.setTitleBarWidget(none);
    delete before;
}

void DockTabs::setMaximized(bool maximized)
{
    m_isMaximized = maximized;
    for (const auto &[bar, corner] : m_corners)
        corner->setMaximized(maximized);
}

void DockTabs::showMenu(QDockWidget &dock, const QPoint &globalPlace)
{
    auto *menu = new QMenu(&m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("dockMenu"));
    if (!dock.isFloating())
        menu->addAction(
            themedIcon(m_isMaximized ? QStringLiteral("restore") : QStringLiteral("maximize")),
            m_isMaximized ? tr("&Restore the other panels") : tr("&Maximize"), this,
            [this, &dock] { Q_EMIT maximizeWanted(&dock); });
    menu->addAction(themedIcon(QStringLiteral("float")),
                    dock.isFloating() ? tr("&Dock") : tr("&Float"), &dock,
                    [&dock] { dock.setFloating(!dock.isFloating()); });
    menu->addAction(themedIcon(QStringLiteral("close")), tr("&Close"), &dock,
                    [&dock] { dock.close(); });
    menu->popup(globalPlace);
}

/// Tells whether a place of a dock is in its title bar.
bool DockTabs::isAtTitle(const QDockWidget &dock, const QPoint &place) const
{
    return dock.widget() && place.y() < dock.widget()->y();
}

bool DockTabs::eventFilter(QObject *watched, QEvent *event)
{
    if (auto *dock = qobject_cast<QDockWidget *>(watched)) {
        if (event->type() == QEvent::MouseButtonDblClick && !dock->isFloating() &&
            isAtTitle(*dock, static_cast<QMouseEvent *>(event)->position().toPoint())) {
            Q_EMIT maximizeWanted(dock);
            return true;
        }
        if (event->type() == QEvent::ContextMenu &&
            isAtTitle(*dock, static_cast<QContextMenuEvent *>(event)->pos())) {
            showMenu(*dock, static_cast<QContextMenuEvent *>(event)->globalPos());
            return true;
        }
    } else if (watched == &m_window
                   ? event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show
                   : event->type() == QEvent::Resize) {
        refresh();
    }
    return QObject::eventFilter(watched, event);
}

} // namespace graphloom
