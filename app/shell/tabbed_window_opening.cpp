// SPDX-License-Identifier: GPL-3.0-or-later
// Opening of files in tabs.
#include "app/shell/tabbed_window.h"

#include "app/shell/main_window.h"
#include "app/tabs/same_file.h"

#include <algorithm>

namespace graphloom {

namespace {

bool isEmpty(MainWindow &tab)
{
    return !tab.session().snapshot() && !tab.session().isOpening();
}

/// Tells whether a tab shows a file, or a session of the model in it.
bool shows(MainWindow &tab, const std::filesystem::path &file)
{
    const DocumentController &documents = tab.bench().documents;
    return !documents.isMade() &&
           (leadToSameFile(documents.file(), file) || leadToSameFile(tab.session().path(), file));
}

} // namespace

/// Opens the first file in front at once; the others wait behind those of an earlier call.
void TabbedWindow::open(const std::vector<std::filesystem::path> &files)
{
    if (files.empty())
        return;
    const bool othersWait = !m_waiting.empty();
    m_waiting.insert(m_waiting.end(), files.begin() + 1, files.end());
    openIn(files.front(), true);
    if (!othersWait)
        openNext();
}

/// Opens the others behind, each in an event of its own, since a tab takes time to make.
void TabbedWindow::openNext()
{
    if (m_waiting.empty())
        return;
    QTimer::singleShot(0, this, [this] {
        if (m_waiting.empty())
            return;
        const auto next = m_waiting.front();
        m_waiting.pop_front();
        openIn(next, false);
        openNext();
    });
}

/// Opens a file in the current tab if that is empty, or in a new one, unless it is open already.
/// Returns its tab.
MainWindow &TabbedWindow::openIn(const std::filesystem::path &file, bool inFront)
{
    m_closed.forget(file);
    updateReopen();
    for (MainWindow *tab : tabs()) {
        if (!shows(*tab, file))
            continue;
        if (inFront)
            bringToFront(*tab);
        return *tab;
    }
    MainWindow *tab = m_shown;
    if (!isEmpty(*tab)) {
        tab = &addTab();
        m_openers[tab] = m_shown;
        if (inFront)
            bringToFront(*tab);
    }
    tab->bench().documents.open(file);
    updateFaces();
    return *tab;
}

/// Opens the tab that was closed last again, where it was.
void TabbedWindow::reopen()
{
    const std::optional<ClosedTabs::Tab> last = m_closed.takeLast();
    if (!last)
        return;
    const int before = count();
    openIn(last->file, true);
    if (count() > before) // not a tab that was there already
        m_bar->moveTab(before, std::min(last->place, before));
}

/// Closes a tab that was made for a file that cannot be opened: the reason is told where the user
/// asked for it.
void TabbedWindow::endOpening(MainWindow &tab, bool succeeded)
{
    const QPointer<MainWindow> opener = m_openers.contains(&tab) ? m_openers.at(&tab) : nullptr;
    m_openers.erase(&tab);
    updateFaces();
    if (succeeded || !opener || !isEmpty(tab) || m_bar->tabOf(opener) < 0)
        return;
    const QModelIndex reason = tab.session().messages().index(0);
    const bool hasReason = reason.isValid();
    const auto severity = MessageModel::Severity(reason.data(MessageModel::SeverityRole).toInt());
    const QString text = reason.data().toString(),
                  details = reason.data(MessageModel::DetailsRole).toString();
    if (&tab == m_shown)
        bringToFront(*opener);
    drop(tab);
    if (hasReason)
        opener->bench().tell(severity, text, details);
}

/// Closes a tab that shows the model of recovered work as it is in its file, for the recovered one
/// to take its place.
void TabbedWindow::replaceUnchanged(MainWindow &recovered)
{
    for (MainWindow *tab : besides(recovered)) {
        const Session &session = tab->session();
        const DocumentController &documents = tab->bench().documents;
        const bool hasWork = session.isModified() || documents.isMade() ||
                             (tab->bench().isAtWork() && !session.isOpening());
        if (hasWork || !leadToSameFile(documents.file(), recovered.session().path()))
            continue;
        m_bar->moveTab(m_bar->tabOf(&recovered), m_bar->tabOf(tab));
        if (tab == m_shown)
            bringToFront(recovered);
        drop(*tab);
        return;
    }
}

Workbench &TabbedWindow::emptyBench()
{
    if (!isEmpty(*m_shown))
        bringToFront(addTab());
    return m_shown->bench();
}

} // namespace graphloom
