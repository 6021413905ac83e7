// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>

#include <map>
#include <vector>

class QAction;
class QSettings;

namespace graphloom {

/// Holds the shortcuts of commands: those that come with the program, and those that the user has
/// chosen, which are kept in the settings by the object names of the commands.
class ShortcutSet final : public QObject {
    Q_OBJECT

public:
    /// Notes the shortcuts that the commands have as those that come with the program.
    ShortcutSet(QSettings &settings, std::vector<QAction *> commands, QObject *parent = nullptr);

    const std::vector<QAction *> &commands() const { return m_commands; }
    /// Gives all commands the shortcuts that the settings have. Where two commands have the same
    /// keys, those that the user has chosen go before those that come with the program.
    void read();
    /// Does the same after another window has changed them.
    void readAgain();
    /// Returns the shortcuts that come with the program.
    QList<QKeySequence> usualOf(const QAction &command) const;
    bool isChanged(const QAction &command) const;
    /// Returns another command with collidingKeysOf(); null if there is none.
    QAction *holderOf(const QKeySequence &keys, const QAction &other) const;

    /// Makes keys the only shortcut of a command; no keys: it has none. Takes them away from the
    /// command that holds them.
    void assign(QAction &command, const QKeySequence &keys);
    /// Restores the usual shortcuts of a command, as far as no other command has been given them.
    void reset(QAction &command);
    void resetAll();

Q_SIGNALS:
    /// Emitted when commands have other shortcuts.
    void changed();
    /// Emitted when the user has chosen them here, and the settings have them.
    void chosen();

private:
    void set(QAction &command, const QList<QKeySequence> &keys);
    void write(const QAction &command);
    void tellChosen();

    QSettings &m_settings;
    std::vector<QAction *> m_commands;
    std::map<const QAction *, QList<QKeySequence>> m_usual;
};

/// Returns the shortcuts of a command that cannot be told from these keys: the same ones, or such
/// that begin with them or that they begin with.
QList<QKeySequence> collidingKeysOf(const QAction &command, const QKeySequence &keys);

} // namespace graphloom
