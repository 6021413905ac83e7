// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/dock_sizes.h"

#include "app/docks/dock_areas.h"
#include "app/docks/in_sight.h"

#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMainWindow>
#include <QTabBar>

#include <algorithm>

namespace graphloom {

namespace {

// The side areas of a new window, which are narrower in windows below a width; and 40 % of the
// height for the others.
constexpr int sideWidth = 350, fullWidth = 1366, percent = 40;

Qt::DockWidgetArea areaOf(std::size_t area)
{
    return Qt::DockWidgetArea(1 << area);
}

bool isSide(std::size_t area)
{
    return areaOf(area) == Qt::LeftDockWidgetArea || areaOf(area) == Qt::RightDockWidgetArea;
}

Qt::Orientation orientationOf(std::size_t area)
{
    return isSide(area) ? Qt::Horizontal : Qt::Vertical;
}

} // namespace

DockSizes::DockSizes(QMainWindow &window) : QObject(&window), m_window(window)
{
    reset();
    window.installEventFilter(this);
}

void DockSizes::reset()
{
    for (std::size_t area = 0; area < areaCount; ++area)
        m_sizes[area] = isSide(area) ? Size{sideWidth, fullWidth} : Size{percent, 100};
}

/// Returns a visible dock of the area, or null.
QDockWidget *DockSizes::frontOf(std::size_t area) const
{
    QDockWidget *front = nullptr;
    for (QDockWidget *dock : m_window.findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly))
        if (isDocked(*dock) && m_window.dockWidgetArea(dock) == areaOf(area) &&
            (!front || isInSight(*dock)))
            front = dock;
    return front;
}

int DockSizes::windowExtent(Qt::Orientation along) const
{
    return along == Qt::Horizontal ? m_window.width() : m_window.height();
}

/// Returns the extent of a dock with its tabs.
int DockSizes::extentOf(const QDockWidget &dock, Qt::Orientation along) const
{
    if (along == Qt::Horizontal)
        return dock.width();
    const QTabBar *tabs = tabBarOf(m_window, dock);
    return dock.height() + (tabs ? tabs->height() : 0);
}

int DockSizes::wanted(std::size_t area) const
{
    const Size &size = m_sizes[area];
    const int extent = windowExtent(orientationOf(area));
    const int scaled = int(qint64(size.pixels) * extent / std::max(1, size.window));
    return isSide(area) ? std::min(size.pixels, scaled) : scaled;
}

void DockSizes::apply()
{
    if (m_isSuspended)
        return;
    for (const Qt::Orientation along : {Qt::Horizontal, Qt::Vertical}) {
        QList<QDockWidget *> docks;
        QList<int> sizes;
        for (std::size_t area = 0; area < areaCount; ++area)
            if (QDockWidget *front = frontOf(area); front && orientationOf(area) == along) {
                docks << front;
                sizes << wanted(area);
            }
        m_window.resizeDocks(docks, sizes, along);
    }
    m_window.layout()->activate();
}

void DockSizes::makeHigher(const QDockWidget &dock, int pixels)
{
    if (m_isSuspended || !isDocked(dock) || dock.height() >= pixels)
        return;
    m_window.resizeDocks({const_cast<QDockWidget *>(&dock)},
                         {extentOf(dock, Qt::Vertical) - dock.height() + pixels}, Qt::Vertical);
    m_window.layout()->activate();
    remember();
}

/// Keeps the sizes that the areas have now.
void DockSizes::remember()
{
    if (m_isSuspended)
        return;
    for (std::size_t area = 0; area < areaCount; ++area)
        if (const QDockWidget *front = frontOf(area)) {
            const Qt::Orientation along = orientationOf(area);
            const int now = extentOf(*front, along);
            if (now != wanted(area)) // otherwise sizes would drift with rounding
                m_sizes[area] = {now, windowExtent(along)};
        }
}

bool DockSizes::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        apply();
    else if (event->type() == QEvent::MouseButtonRelease) // a separator has been moved
        QMetaObject::invokeMethod(this, &DockSizes::remember, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

QVariantList DockSizes::save() const
{
    QVariantList saved;
    for (const Size &size : m_sizes)
        saved << size.pixels << size.window;
    return saved;
}

void DockSizes::restore(const QVariantList &saved)
{
    if (saved.size() != qsizetype(2 * areaCount))
        return;
    for (std::size_t area = 0; area < areaCount; ++area)
        m_sizes[area] = {saved[qsizetype(2 * area)].toInt(),
                         std::max(1, saved[qsizetype(2 * area + 1)].toInt())};
}

} // namespace graphloom
