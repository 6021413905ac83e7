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

/// Shows the workbench as a window: the graph in the middle, panels around it, one session.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(MainWindowOptions options, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Shows the window, with its frame no larger than the screen, so that its buttons can be
    /// reached.
    void showOnScreen();
    /// Opens another window with the same settings.
    MainWindow *openWindow();
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
    ViewExports &exports() const { return *m_exports; }
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
    bool m_mayClose = false; // the user was asked already
    ThemeChoice m_themeChoice = ThemeChoice::System;
    std::shared_ptr<const Theme> m_theme;
    Workbench m_bench;
    GraphArea *m_area;
    CommandPalette *m_commands;
    KeyList *m_keys = nullptr; // null until it is requested
    std::unique_ptr<PanelDocks> m_docks;
    std::unique_ptr<RecentFiles> m_recent;
    std::unique_ptr<StatusLine> m_status;
    std::unique_ptr<DocumentDialogs> m_dialogs;
    std::unique_ptr<ViewExports> m_exports;
    std::unique_ptr<WindowTour> m_tour;
};

} // namespace graphloom
