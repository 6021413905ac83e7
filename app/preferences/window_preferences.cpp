// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/window_preferences.h"

#include "app/help/key_rows.h"
#include "app/preferences/appearance_page.h"
#include "app/preferences/defaults_page.h"
#include "app/preferences/devices_page.h"
#include "app/preferences/folders_page.h"
#include "app/preferences/preferences_dialog.h"
#include "app/preferences/shortcut_page.h"
#include "app/workbench/workbench.h"

#include <QMainWindow>

namespace graphloom {

WindowPreferences::WindowPreferences(QMainWindow &window, Workbench &bench,
                                     std::vector<QAction *> commands)
    : m_window(window), m_bench(bench), m_shortcuts(*bench.settings, std::move(commands))
{
    m_shortcuts.read();
    connect(&m_shortcuts, &ShortcutSet::chosen, this, &WindowPreferences::shortcutsChanged);
    connect(bench.actions.preferences, &QAction::triggered, this, &WindowPreferences::open);
}

PreferencesDialog &WindowPreferences::dialog()
{
    if (m_dialog)
        return *m_dialog;
    auto *appearance = new AppearancePage(m_bench);
    connect(appearance, &AppearancePage::appearanceChanged, this,
            &WindowPreferences::appearanceChanged);
    auto *defaults = new DefaultsPage(m_bench);
    connect(defaults, &DefaultsPage::defaultsChanged, this, &WindowPreferences::defaultsChanged);
    const auto rows = [this] { return keyRowsOf(m_window, m_shortcuts.commands()); };
    m_dialog = new PreferencesDialog({appearance, defaults, new ShortcutPage(m_shortcuts, rows),
                                      new DevicesPage(m_bench), new FoldersPage(m_bench)},
                                     &m_window);
    return *m_dialog;
}

void WindowPreferences::open()
{
    dialog().open();
}

/// Shortcuts show changes themselves, and devices and folders have no values.
void WindowPreferences::refresh()
{
    if (!m_dialog)
        return;
    m_dialog->page<AppearancePage>().refresh();
    m_dialog->page<DefaultsPage>().refresh();
}

} // namespace graphloom
