// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/workbench/workbench.h"

#include <QMainWindow>

#include <memory>
#include <vector>

class QMenu;

namespace graphloom {

class CanvasPage;
class CommandPalette;
class DocumentDialogs;
class GraphArea;
class DocumentHost;
class KeyList;
class PanelDocks;
class RecentFiles;
class StatusLine;
class TabRow;
class ToastStack;
class Tour;
class WindowPreferences;
class ViewExports;
class WindowTour;

/// Shows the workbench as a window: the graph in the middle, panels around it, one session. With a
/// parent it is a tab of that window.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(MainWindowOptions options, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens another window with the same settings.
    MainWindow *openWindow();
    /// Sets what holds this tab besides others.
    void setHost(DocumentHost *host);
    void saveSettings();
    /// Stops all work, which is not needed any more; it ends soon after. Closes all dialogs.
    void endWork();
    /// Tells whether threads work for the window. It waits for them when it is destroyed.
    bool hasWork() const;
    /// Lists recent files again after another window or tab has opened some.
    void refreshRecent();
    ThemeChoice themeChoice() const { return m_themeChoice; }
    void setTheme(ThemeChoice choice);
    /// Sets the meaning of ThemeChoice::System.
    void setSystemIsDark(bool dark);

    Workbench &bench() { return m_bench; }
    Session &session() { return m_bench.session; }
    Selection &selection() { return m_bench.selection; }
    Actions &actions() { return m_bench.actions; }
    CanvasPage &page();
    PanelDocks &panels() { return *m_docks; }
    WindowTour &tour() { return *m_tour; }
    TabRow &tabRow() { return *m_tabRow; }
    ViewExports &exports() const { return *m_exports; }
    ToastStack &toasts() const { return *m_toasts; }
    WindowPreferences &preferences() const { return *m_preferences; }
    /// Returns the only widget of a class, such as that of a panel; the widget must exist.
    template <class View> View &view() { return *findChild<View *>(); }
    /// Returns every action that can be found by its name: in menus, the palette and the list of
    /// keys.
    std::vector<QAction *> allCommands() const;
    const Theme &theme() const { return *m_theme; }
    /// Tells whether the model and its layout are there, and the whole canvas is painted.
    bool isSettled() const;

Q_SIGNALS:
    void settled();
    void themeChosen(graphloom::ThemeChoice choice);

protected:
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void connectActions();
    void connectDocuments();
    void connectToasts();
    void connectExchange();
    void connectPreferences();
    void listExports();
    void restoreSettings();
    void applyTheme();
    void listOpenModels(QMenu &menu);
    void showKeys();
    void showAbout();

    bool m_systemIsDark;
    bool m_mayClose = false; // the user was asked already
    ThemeChoice m_themeChoice = ThemeChoice::System;
    std::shared_ptr<const Theme> m_theme;
    Workbench m_bench;
    GraphArea *m_area;
    TabRow *m_tabRow;
    CommandPalette *m_commands;
    ToastStack *m_toasts;
    KeyList *m_keys = nullptr; // null until it is requested
    std::unique_ptr<PanelDocks> m_docks;
    std::unique_ptr<RecentFiles> m_recent;
    std::unique_ptr<StatusLine> m_status;
    std::unique_ptr<DocumentDialogs> m_dialogs;
    std::unique_ptr<ViewExports> m_exports;
    std::unique_ptr<WindowTour> m_tour;
    std::unique_ptr<WindowPreferences> m_preferences;
};

} // namespace graphloom
