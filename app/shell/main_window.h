// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/workbench/workbench.h"

#include <QMainWindow>

#include <memory>

namespace graphloom {

class CanvasPage;
class CommandPalette;
class DocumentDialogs;
class GraphArea;
class KeyList;
class PanelDocks;
class RecentFiles;
class StatusLine;
class Tour;
class ViewExports;
class WindowTour;

/// The workbench as a window: the graph in the middle, panels around it, one session.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(MainWindowOptions options, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Shows the window, no larger than the screen lets its frame be: its buttons can be reached.
    void showOnScreen();
    /// Another window with the same settings.
    MainWindow *openWindow();
    void setTheme(ThemeChoice choice);
    /// What ThemeChoice::System means from now on.
    void setSystemIsDark(bool dark);

    Workbench &bench() { return m_bench; }
    Session &session() { return m_bench.session; }
    Selection &selection() { return m_bench.selection; }
    Actions &actions() { return m_bench.actions; }
    CanvasPage &page();
    PanelDocks &panels() { return *m_docks; }
    WindowTour &tour() { return *m_tour; }
    ViewExports &exports() const { return *m_exports; }
    /// The one widget of a class, such as that of a panel; null where there is none.
    template <class View> View &view() { return *findChild<View *>(); }
    /// Every action that can be found by its name: in menus, the palette and the list of keys.
    std::vector<QAction *> allCommands() const;
    const Theme &theme() const { return *m_theme; }
    /// The model is there, its layout too, and all of the canvas is painted.
    bool isSettled() const;

Q_SIGNALS:
    void settled();

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void connectActions();
    void connectDocuments();
    void listExports();
    void restoreSettings();
    void saveSettings();
    void applyTheme();
    void showKeys();
    void showAbout();

    bool m_systemIsDark;
    bool m_mayClose = false; // nobody has to be asked any more
    ThemeChoice m_themeChoice = ThemeChoice::System;
    std::shared_ptr<const Theme> m_theme;
    Workbench m_bench;
    GraphArea *m_area;
    CommandPalette *m_commands;
    KeyList *m_keys = nullptr; // once it was asked for
    std::unique_ptr<PanelDocks> m_docks;
    std::unique_ptr<RecentFiles> m_recent;
    std::unique_ptr<StatusLine> m_status;
    std::unique_ptr<DocumentDialogs> m_dialogs;
    std::unique_ptr<ViewExports> m_exports;
    std::unique_ptr<WindowTour> m_tour;
};

} // namespace graphloom
