// SPDX-License-Identifier: GPL-3.0-or-later
// Opening of files in tabs.
#include "app/shell/tabbed_window.h"

#include "app/preferences/defaults.h"
#include "app/shell/main_window.h"
#include "app/tabs/same_file.h"

#include <QFileInfo>

#include <algorithm>
#include <ranges>

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
    for (const std::filesystem::path &file : files | std::views::drop(1))
        m_waiting.push_back({file, nullptr});
    openIn(files.front(), true);
    if (!othersWait)
        openNext();
}

int TabbedWindow::placeOf(const Waiting &next) const
{
    const int before = m_bar->tabOf(next.before);
    return before < 0 ? count() : before;
}

/// Opens the others behind, each in an event of its own, since a tab takes time to make.
void TabbedWindow::openNext()
{
    if (m_waiting.empty())
        return;
    QTimer::singleShot(0, this, [this] {
        if (m_waiting.empty())
            return;
        const Waiting next = m_waiting.front();
        m_waiting.pop_front();
        openAt(next.file, placeOf(next), false);
        openNext();
    });
}

/// Opens a file in the current tab if that is empty, or in a new one, unless it is open already.
void TabbedWindow::openIn(const std::filesystem::path &file, bool inFront)
{
    m_closed.forget(file);
    updateReopen();
    for (MainWindow *tab : tabs()) {
        if (!shows(*tab, file))
            continue;
        if (inFront)
            bringToFront(*tab);
        return;
    }
    MainWindow *tab = m_shown;
    if (!isEmpty(*tab)) {
        tab = &addTab();
        m_openers[tab] = m_shown;
        if (inFront) // in an event of its own, since it takes time, too
            QMetaObject::invokeMethod(
                tab, [this, tab] { bringToFront(*tab); }, Qt::QueuedConnection);
    }
    tab->bench().documents.open(file);
    updateFaces();
}

/// Does the same, and moves the tab to a place if it is a new one.
void TabbedWindow::openAt(const std::filesystem::path &file, int place, bool inFront)
{
    const int before = count();
    openIn(file, inFront);
    if (count() > before)
        m_bar->moveTab(before, std::min(place, before));
}

/// Opens the tab that was closed last again, where it was.
void TabbedWindow::reopen()
{
    if (const std::optional<ClosedTabs::Tab> last = m_closed.takeLast())
        openAt(last->file, last->place, true);
}

void TabbedWindow::restoreTabs()
{
    Workbench &bench = current().bench();
    const LastTabs last = lastTabsIn(*bench.settings);
    if (!defaultsIn(*bench.settings).restoresTabs || last.files.empty())
        return;
    const auto exists = [](const QString &file) { return QFileInfo::exists(file); };
    qsizetype front = last.front;
    if (!exists(last.files[front])) // this is told when its turn comes
        if (const auto next = std::ranges::find_if(last.files, exists); next != last.files.end())
            front = next - last.files.begin();
    openIn(last.files[front].toStdString(), true);
    for (qsizetype i = 0; i < last.files.size(); ++i)
        if (i != front)
            m_waiting.push_back({last.files[i].toStdString(), i < front ? m_shown : nullptr});
    openNext();
    if (bench.actions.recover->isEnabled()) // the start page, which offers it, is not shown
        Q_EMIT bench.panelWanted(QStringLiteral("messages"));
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
