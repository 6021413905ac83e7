// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/shortcuts/shortcut_set.h"

#include <QObject>

class QMainWindow;

namespace graphloom {

struct Defaults;
class PreferencesDialog;
class Workbench;

/// Holds the preferences of a window: its shortcuts, and the dialog, which is made when it is asked
/// for.
class WindowPreferences final : public QObject {
    Q_OBJECT

public:
    WindowPreferences(QMainWindow &window, Workbench &bench, std::vector<QAction *> commands);

    ShortcutSet &shortcuts() { return m_shortcuts; }
    PreferencesDialog &dialog();
    void open();
    /// Shows what another window has changed.
    void refresh();

Q_SIGNALS:
    /// Emitted when the settings have another appearance, other shortcuts or other defaults, which
    /// apply to all windows.
    void appearanceChanged();
    void shortcutsChanged();
    void defaultsChanged(const graphloom::Defaults &before, const graphloom::Defaults &now);

private:
    QMainWindow &m_window;
    Workbench &m_bench;
    ShortcutSet m_shortcuts;
    PreferencesDialog *m_dialog = nullptr; // null until it is asked for
};

} // namespace graphloom
