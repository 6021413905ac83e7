// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docks/maximized_area.h"

#include "app/docks/dock_areas.h"
#include "app/docks/in_sight.h"

#include <QMainWindow>

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

auto docksOf(const QMainWindow &window)
{
    return window.findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly);
}

} // namespace

MaximizedArea::MaximizedArea(QMainWindow &window, int version)
    : QObject(&window), m_window(window), m_version(version)
{
}

void MaximizedArea::toggle(QDockWidget &dock)
{
    if (isOn())
        restore();
    else if (isDocked(dock))
        maximize(dock);
}

void MaximizedArea::maximize(QDockWidget &dock)
{
    m_before = m_window.saveState(m_version);
    m_dock = &dock;
    const auto kept = docksOfPlace(m_window, dock);
    m_window.centralWidget()->hide();
    for (QDockWidget *other : docksOf(m_window)) {
        if (isDocked(*other) && !std::ranges::count(kept, other))
            other->hide();
        // Without a dock the window would be empty. Docks may be behind each other only for now.
        connect(other->toggleViewAction(), &QAction::toggled, this, &MaximizedArea::restoreIfEmpty,
                Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
        connect(other, &QDockWidget::topLevelChanged, this, &MaximizedArea::restoreIfEmpty,
                Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
    }
    dock.raise();
    Q_EMIT changed(true);
}

void MaximizedArea::restore()
{
    if (!isOn())
        return;
    // The user may have closed, floated and raised docks meanwhile.
    std::vector<QDockWidget *> front;
    for (QDockWidget *dock : docksOf(m_window))
        if (isDocked(*dock) && isInSight(*dock))
            front.push_back(dock);
    const QByteArray before = std::exchange(m_before, {});
    m_window.centralWidget()->show();
    m_window.restoreState(before, m_version);
    for (QDockWidget *dock : front)
        dock->raise();
    Q_EMIT changed(false);
}

/// The user may have raised another dock of the place; nothing can be seen of a hidden window.
const QDockWidget *MaximizedArea::front() const
{
    if (!isOn())
        return nullptr;
    for (const QDockWidget *dock : docksOf(m_window))
        if (isDocked(*dock) && isInSight(*dock))
            return dock;
    return m_dock;
}

void MaximizedArea::makeRoomFor(const QDockWidget &dock)
{
    if (isOn() && !isDocked(dock))
        restore();
}

void MaximizedArea::restoreIfEmpty()
{
    if (isOn() && std::ranges::none_of(docksOf(m_window),
                                       [](const QDockWidget *dock) { return isDocked(*dock); }))
        restore();
}

QByteArray MaximizedArea::state() const
{
    return isOn() ? m_before : m_window.saveState(m_version);
}

void MaximizedArea::forget()
{
    if (!isOn())
        return;
    m_before.clear();
    m_window.centralWidget()->show();
    Q_EMIT changed(false);
}

} // namespace graphloom
