// SPDX-License-Identifier: GPL-3.0-or-later
// Closing of tabs and of their window.
#include "app/shell/tabbed_window.h"

#include "app/common/format.h"
#include "app/shell/main_window.h"
#include "app/tabs/tab_row.h"
#include "app/tabs/window_place.h"

#include <QCloseEvent>
#include <QStackedWidget>

namespace graphloom {

void TabbedWindow::close(Workbench &bench)
{
    for (MainWindow *tab : tabs())
        if (&tab->bench() == &bench)
            closeTabs({tab});
}

void TabbedWindow::closeTabs(const std::vector<MainWindow *> &tabs)
{
    std::vector<QPointer<MainWindow>> rest(tabs.begin(), tabs.end());
    while (!rest.empty() && (!rest.back() || m_bar->tabOf(rest.back()) < 0))
        rest.pop_back();
    if (rest.empty())
        return;
    MainWindow &tab = *rest.back();
    rest.pop_back();
    if (tab.bench().documents.wouldLoseWork())
        bringToFront(tab);
    // Until the user has decided, the tab may move to another window, and this one be closed.
    tab.bench().documents.whenNoWorkIsLost([window = QPointer(this), tab = QPointer(&tab), rest] {
        if (!window)
            return;
        if (tab && window->m_bar->tabOf(tab) >= 0) { // it was not closed while it was saved
            window->noteClosed(*tab);
            window->drop(*tab);
        }
        std::vector<MainWindow *> others;
        for (const QPointer<MainWindow> &other : rest)
            if (other)
                others.push_back(other);
        window->closeTabs(others);
    });
}

/// Returns the files of the tabs, also of those that wait to be opened.
LastTabs TabbedWindow::openTabs() const
{
    LastTabs open;
    const auto addWaiting = [&](int place) {
        for (const Waiting &next : m_waiting)
            if (placeOf(next) == place)
                open.files << absolutePath(next.file);
    };
    for (int place = 0; place < count(); ++place) {
        addWaiting(place);
        if (place == m_bar->currentIndex())
            open.front = int(open.files.size());
        const DocumentController &documents = tab(place).bench().documents;
        if (!documents.isMade() && !documents.file().empty())
            open.files << absolutePath(documents.file());
    }
    addWaiting(count());
    return open;
}

/// Notes a tab that is about to be closed, unless no file shows the same again.
void TabbedWindow::noteClosed(MainWindow &tab)
{
    const DocumentController &documents = tab.bench().documents;
    if (documents.isMade() || documents.file().empty())
        return;
    m_closed.add({documents.file(), m_bar->tabOf(&tab)});
    updateReopen();
}

/// Closes a tab, whatever is in it; the last one stays, without a model.
void TabbedWindow::drop(MainWindow &tab)
{
    if (count() == 1) {
        tab.session().close();
        return;
    }
    tab.endWork();
    release(tab);
    tab.hide();
    m_ended.push_back(&tab);
    m_endPatience.start();
}

/// Takes a tab out of the window, and shows its neighbour if it was shown.
void TabbedWindow::release(MainWindow &tab)
{
    const int index = m_bar->tabOf(&tab);
    if (&tab == m_shown)
        m_bar->setCurrentIndex(index + 1 < count() ? index + 1 : index - 1);
    m_bar->removeTab(index);
    m_stack->removeWidget(&tab);
    m_openers.erase(&tab);
    tab.setHost(nullptr);
    tab.tabRow().removeEventFilter(this);
    for (QObject *part : {static_cast<QObject *>(&tab), static_cast<QObject *>(&tab.session()),
                          static_cast<QObject *>(&tab.bench().documents),
                          static_cast<QObject *>(&tab.bench().jobs)})
        part->disconnect(this);
    for (QAction *action : tab.actions().all())
        action->disconnect(this);
    updateBar();
}

/// Frees closed tabs whose threads have ended, as waiting for them would block the window.
void TabbedWindow::freeEnded()
{
    std::erase_if(m_ended, [](MainWindow *tab) {
        if (tab->hasWork())
            return false;
        tab->deleteLater();
        return true;
    });
    if (m_ended.empty())
        m_endPatience.stop();
}

void TabbedWindow::closeEvent(QCloseEvent *event)
{
    if (!std::exchange(m_isClosing, false))
        m_decided.clear();
    for (MainWindow *tab : tabs()) {
        if (m_decided.contains(tab) || !tab->bench().documents.wouldLoseWork())
            continue;
        event->ignore();
        bringToFront(*tab);
        tab->bench().documents.whenNoWorkIsLost([window = QPointer(this), tab] {
            if (!window)
                return;
            window->m_decided.insert(tab);
            window->m_isClosing = true;
            window->QWidget::close();
        });
        return;
    }
    keep(openTabs(), *m_shown->bench().settings);
    m_waiting.clear();
    savePlace(*this, *m_shown->bench().settings);
    m_shown->saveSettings();
    m_shown->panels().hideFloating();
    for (MainWindow *tab : tabs())
        tab->endWork();
    QWidget::closeEvent(event);
}

} // namespace graphloom
