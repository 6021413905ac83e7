// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/key_rows.h"

#include "app/widgets/view_keys.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// Returns the name of the panel that contains a widget, or else the name of the widget.
QString placeOf(const QWidget &widget)
{
    for (const QWidget *around = &widget; around; around = around->parentWidget())
        if (const auto *dock = qobject_cast<const QDockWidget *>(around))
            return dock->windowTitle();
    return widget.accessibleName();
}

class Collector {
public:
    explicit Collector(const std::vector<QAction *> &commands)
        : m_commands(commands.begin(), commands.end())
    {
    }

    void addMenu(const QMenu &menu, const QString &place)
    {
        for (const QAction *action : menu.actions())
            if (!action->menu() && m_commands.contains(action))
                add(*action, place);
        for (const QAction *action : menu.actions())
            if (const QMenu *inner = action->menu())
                addMenu(*inner, place + QStringLiteral(" ▸ ") + plainTextOf(*action));
    }

    void add(const QAction &action, const QString &place)
    {
        if (m_seen.insert(&action).second)
            m_rows.push_back({place, plainTextOf(action), textOf(action.shortcuts()),
                              action.statusTip(), &action});
    }

    /// Adds a row unless another widget has the same one.
    void addOnce(KeyRow row)
    {
        const bool known = std::ranges::any_of(m_rows, [&](const KeyRow &other) {
            return other.place == row.place && other.command == row.command &&
                   other.keys == row.keys;
        });
        if (!known)
            m_rows.push_back(std::move(row));
    }

    bool knows(const QAction &action) const { return m_seen.contains(&action); }
    /// Returns the rows by place, in order of first occurrence.
    std::vector<KeyRow> take()
    {
        std::map<QString, std::size_t> places;
        for (const KeyRow &row : m_rows)
            places.emplace(row.place, places.size());
        std::ranges::stable_sort(m_rows, {},
                                 [&](const KeyRow &row) { return places.at(row.place); });
        return std::move(m_rows);
    }

private:
    std::set<const QAction *> m_commands, m_seen;
    std::vector<KeyRow> m_rows;
};

} // namespace

QString plainTextOf(const QAction &action)
{
    return action.text().remove('&');
}

QString textOf(const QList<QKeySequence> &keys)
{
    return QKeySequence::listToString(keys, QKeySequence::NativeText)
        .replace(QStringLiteral("; "), QStringLiteral(", "));
}

std::vector<KeyRow> keyRowsOf(const QMainWindow &window, const std::vector<QAction *> &commands)
{
    Collector collector(commands);
    for (const QAction *menu : window.menuWidget()->actions())
        if (menu->menu())
            collector.addMenu(*menu->menu(), plainTextOf(*menu));
    for (const QAction *command : commands)
        collector.add(*command, QMainWindow::tr("Anywhere"));
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        if (const auto *view = dynamic_cast<const KeyedView *>(widget))
            for (const ViewKeys::Entry &entry : view->keys().entries())
                collector.addOnce({view->keys().title(), entry.meaning, entry.text(), {}});
        for (const QAction *action : widget->actions())
            if (!action->shortcuts().isEmpty() && !collector.knows(*action))
                collector.addOnce({placeOf(*widget), plainTextOf(*action),
                                   textOf(action->shortcuts()), action->toolTip()});
    }
    return collector.take();
}

} // namespace graphloom
