// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shortcuts/shortcut_set.h"

#include "app/workbench/actions.h"

#include <QAction>
#include <QSettings>

#include <algorithm>

namespace graphloom {

namespace {

QString shortcutKey(const QAction &command)
{
    return QStringLiteral("shortcuts/") + command.objectName();
}

bool collide(const QKeySequence &a, const QKeySequence &b)
{
    return !a.isEmpty() && !b.isEmpty() &&
           (a.matches(b) != QKeySequence::NoMatch || b.matches(a) != QKeySequence::NoMatch);
}

bool holds(const QAction &command, const QKeySequence &keys)
{
    return !collidingKeysOf(command, keys).isEmpty();
}

} // namespace

ShortcutSet::ShortcutSet(QSettings &settings, std::vector<QAction *> commands, QObject *parent)
    : QObject(parent), m_settings(settings), m_commands(std::move(commands))
{
    for (const QAction *command : m_commands)
        m_usual[command] = command->shortcuts();
}

void ShortcutSet::read()
{
    std::vector<QAction *> own, usual; // with keys of the user, and those of the program
    for (QAction *command : m_commands) {
        const QVariant kept = m_settings.value(shortcutKey(*command));
        (kept.isValid() ? own : usual).push_back(command);
        if (kept.isValid())
            set(*command,
                QKeySequence::listFromString(kept.toString(), QKeySequence::PortableText));
    }
    // A later version of the program may give a command keys that the user has given another one.
    for (QAction *command : usual) {
        QList<QKeySequence> keys = usualOf(*command);
        keys.removeIf([&](const QKeySequence &of) {
            return std::ranges::any_of(own, [&](QAction *other) { return holds(*other, of); });
        });
        set(*command, keys);
    }
    Q_EMIT changed();
}

void ShortcutSet::readAgain()
{
    m_settings.sync(); // what another window has chosen may not be in the file yet
    read();
}

/// The tooltip names the keys, too.
void ShortcutSet::set(QAction &command, const QList<QKeySequence> &keys)
{
    if (command.shortcuts() == keys)
        return;
    command.setShortcuts(keys);
    setMeaning(command, command.statusTip());
}

void ShortcutSet::write(const QAction &command)
{
    if (isChanged(command))
        m_settings.setValue(
            shortcutKey(command),
            QKeySequence::listToString(command.shortcuts(), QKeySequence::PortableText));
    else
        m_settings.remove(shortcutKey(command));
}

QList<QKeySequence> ShortcutSet::usualOf(const QAction &command) const
{
    return m_usual.at(&command);
}

bool ShortcutSet::isChanged(const QAction &command) const
{
    return command.shortcuts() != usualOf(command);
}

QAction *ShortcutSet::holderOf(const QKeySequence &keys, const QAction &other) const
{
    const auto holder = std::ranges::find_if(m_commands, [&](const QAction *command) {
        return command != &other && holds(*command, keys);
    });
    return holder == m_commands.end() ? nullptr : *holder;
}

void ShortcutSet::assign(QAction &command, const QKeySequence &keys)
{
    while (QAction *holder = holderOf(keys, command)) {
        QList<QKeySequence> left = holder->shortcuts();
        left.removeIf([&](const QKeySequence &of) { return collide(of, keys); });
        set(*holder, left);
        write(*holder);
    }
    set(command, keys.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{keys});
    write(command);
    tellChosen();
}

void ShortcutSet::reset(QAction &command)
{
    QList<QKeySequence> keys = usualOf(command);
    keys.removeIf([&](const QKeySequence &of) { return holderOf(of, command) != nullptr; });
    set(command, keys);
    write(command);
    tellChosen();
}

void ShortcutSet::resetAll()
{
    for (QAction *command : m_commands) {
        set(*command, usualOf(*command));
        write(*command);
    }
    tellChosen();
}

QList<QKeySequence> collidingKeysOf(const QAction &command, const QKeySequence &keys)
{
    QList<QKeySequence> held = command.shortcuts();
    held.removeIf([&](const QKeySequence &of) { return !collide(of, keys); });
    return held;
}

void ShortcutSet::tellChosen()
{
    Q_EMIT changed();
    Q_EMIT chosen();
}

} // namespace graphloom
