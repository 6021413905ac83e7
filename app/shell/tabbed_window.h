// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/shell/panel_docks.h"
#include "app/tabs/closed_tabs.h"
#include "app/tabs/document_host.h"
#include "app/tabs/last_tabs.h"
#include "app/tabs/model_tab_bar.h"
#include "app/workbench/main_window_options.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <deque>
#include <set>

class QStackedWidget;

namespace graphloom {

class MainWindow;

/// Shows open models as tabs of one window. Each tab is a `MainWindow` with a session of its own,
/// which goes on working while another one is shown. The panels stay where they are when another
/// tab is shown, so that they seem to be those of one window.
class TabbedWindow final : public QWidget, public DocumentHost {
    Q_OBJECT

public:
    /// Creates the window with an empty tab.
    explicit TabbedWindow(MainWindowOptions options);
    ~TabbedWindow() override;

    ModelTabBar &bar() { return *m_bar; }
    MainWindow &current() const;
    /// Returns the window of a tab.
    MainWindow &tab(int index) const;
    int count() const { return m_bar->count(); }
    /// Opens another window with the same settings.
    TabbedWindow *openWindow();
    /// Moves a tab to a window of its own.
    TabbedWindow *moveToWindow(MainWindow &tab);
    /// Opens the tabs of the window that was closed last, the one in front first, if the user has
    /// chosen that. Requires that nothing is open.
    void restoreTabs();
    /// Closes tabs one by one, until the user keeps one whose work would be lost.
    void closeTabs(const std::vector<MainWindow *> &tabs);

    void open(const std::vector<std::filesystem::path> &files) override;
    Workbench &emptyBench() override;
    std::vector<OpenModel> others(const Workbench &bench) const override;
    std::size_t benchCount() const override { return std::size_t(count()); }
    void close(Workbench &bench) override;
    using QWidget::close;

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// Describes a file to open in a tab that is not shown.
    struct Waiting {
        std::filesystem::path file;
        QPointer<MainWindow> before; // the tab on its right; null: it comes last
    };

    TabbedWindow(MainWindowOptions options, MainWindow *first);
    void connectBar();
    void adopt(MainWindow &tab);
    void connectTab(MainWindow &tab);
    MainWindow &addTab();
    std::vector<MainWindow *> tabs() const;
    QStringList paths() const;
    std::vector<MainWindow *> besides(const MainWindow &tab) const;
    void bringToFront(MainWindow &tab);
    void showCurrent();
    void step(int by);
    void openIn(const std::filesystem::path &file, bool inFront);
    void openAt(const std::filesystem::path &file, int place, bool inFront);
    int placeOf(const Waiting &next) const;
    void openNext();
    void reopen();
    void endOpening(MainWindow &tab, bool succeeded);
    void replaceUnchanged(MainWindow &recovered);
    LastTabs openTabs() const;
    void noteClosed(MainWindow &tab);
    void drop(MainWindow &tab);
    void release(MainWindow &tab);
    void freeEnded();
    void showMenu(int tab, const QPoint &globalPlace);
    void updateBar();
    void updateFaces();
    void updateReopen();
    void placeBar();

    MainWindowOptions m_options; // of further tabs
    ModelTabBar *m_bar;
    QStackedWidget *m_stack;
    MainWindow *m_shown = nullptr;
    std::deque<Waiting> m_waiting;
    std::map<const MainWindow *, QPointer<MainWindow>> m_openers; // of tabs made for a file
    ClosedTabs m_closed;
    std::vector<MainWindow *> m_ended; // closed, whose work is about to end
    QTimer m_endPatience, m_facePatience;
    std::set<const MainWindow *> m_decided; // may be closed although work is lost
    bool m_isClosing = false;               // goes on closing after a decision
};

} // namespace graphloom
