// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/search_bar.h"

#include "app/snapshot/nested_snapshot.h"
#include "app/style/icons.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int typingPatience = 60; // milliseconds

} // namespace

SearchBar::SearchBar(Selection &selection, QWidget *parent) : QFrame(parent), m_selection(selection)
{
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(8, 5, 8, 5);
    lines->setSpacing(2);
    auto *layout = new QHBoxLayout;
    layout->setSpacing(4);
    lines->addLayout(layout);
    m_edit = new QueryEdit;
    m_edit->setPlaceholderText(tr("Find: words, op:Conv, cout>=128, -opaque:yes…"));
    m_edit->setAccessibleName(tr("Find"));
    m_edit->setObjectName(QStringLiteral("searchEdit"));
    m_edit->installEventFilter(this);
    m_edit->setMaximumWidth(420);
    m_count = new QLabel;
    m_count->setMinimumWidth(
        m_count->fontMetrics().horizontalAdvance(QStringLiteral("0000 of 0000")));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    m_count->setObjectName(QStringLiteral("searchCount"));
    addKeys();
    const auto button = [&](const char *icon, Key key, auto slot) {
        const ViewKeys::Entry &entry = m_keys.entries()[key];
        const QString tip = QStringLiteral("%1 (%2)").arg(
            entry.meaning, QKeySequence(entry.keys.back()).toString(QKeySequence::NativeText));
        auto *tool = new QToolButton;
        tool->setIcon(themedIcon(QLatin1String(icon)));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setAutoRaise(true);
        connect(tool, &QToolButton::clicked, this, slot);
        return tool;
    };
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_edit->helpButton());
    layout->addWidget(m_count);
    layout->addWidget(button("previous", PreviousKey, &SearchBar::previous));
    layout->addWidget(button("next", NextKey, &SearchBar::next));
    m_selectAll = button("list", AllKey, &SearchBar::selectAll);
    layout->addWidget(m_selectAll);
    layout->addStretch();
    layout->addWidget(button("close", CloseKey, &SearchBar::close));
    m_problem = new QLabel;
    m_problem->setObjectName(QStringLiteral("searchProblem"));
    m_problem->setWordWrap(true);
    m_problem->hide();
    lines->addWidget(m_problem);
    m_patience.setSingleShot(true);
    m_patience.setInterval(typingPatience);
    connect(&m_patience, &QTimer::timeout, this, &SearchBar::search);
    connect(m_edit, &QLineEdit::textChanged, &m_patience, qOverload<>(&QTimer::start));
    hide();
}

/// In the order of Key.
void SearchBar::addKeys()
{
    m_keys.add({Qt::Key_Return, Qt::Key_Enter}, tr("Select the next match"),
               [this](Qt::Key) { step(1); });
    m_keys.add({Qt::SHIFT | Qt::Key_Return, Qt::SHIFT | Qt::Key_Enter},
               tr("Select the previous match"), [this](Qt::Key) { step(-1); });
    m_keys.add({Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter}, tr("Select all matches"),
               [this](Qt::Key) { selectAll(); });
    m_keys.add({Qt::Key_Escape}, tr("Close"), [this](Qt::Key) { close(); });
}

void SearchBar::setSnapshot(SnapshotPointer snapshot)
{
    m_snapshot = std::move(snapshot);
    m_edit->setSnapshot(m_snapshot);
    if (isVisible())
        search();
}

void SearchBar::open()
{
    show();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
    search();
}

void SearchBar::close()
{
    m_patience.stop();
    m_worker.abandon();
    m_waiting = {};
    hide();
    m_matches.clear();
    m_current = -1;
    Q_EMIT matchesChanged({});
    Q_EMIT closed();
}

void SearchBar::setOwnData(OwnTablePointer own)
{
    m_edit->setOwnData(std::move(own));
    if (isVisible())
        search();
}

/// Shows the result immediately if the search is quick; otherwise the earlier result stays until
/// the background search finishes.
void SearchBar::search()
{
    m_worker.abandon();
    m_problem->setText(m_edit->problem());
    m_problem->setVisible(!m_problem->text().isEmpty());
    if (!m_snapshot) {
        take({});
        return;
    }
    const SnapshotPointer own = ownGraph(m_snapshot);
    if (auto found = findPlaces(*own, m_edit->query(), afterMilliseconds(searchPatience))) {
        take(*std::move(found));
        return;
    }
    m_count->setText(tr("searching…"));
    m_worker.announce(m_jobs, tr("Searching for “%1”").arg(m_edit->text()));
    m_worker.start(
        [own, query = m_edit->query()](std::stop_token stop) {
            return findPlaces(*own, query, [stop] { return stop.stop_requested(); });
        },
        [this](std::optional<std::vector<Place>> found) {
            if (found)
                take(*std::move(found));
            else
                showCount(); // of the earlier result
            m_waiting = {};
        });
}

void SearchBar::take(std::vector<Place> matches)
{
    m_matches = std::move(matches);
    std::vector<Item> here;
    for (const Place &match : m_matches)
        if (match.path == m_snapshot->path)
            here.push_back(match.item);
    m_selectAll->setEnabled(!here.empty());
    m_elsewhere = m_matches.size() - here.size();
    m_current = -1;
    followSelection();
    showCount();
    Q_EMIT matchesChanged(here);
    if (const auto act = std::exchange(m_waiting, {}))
        act();
}

void SearchBar::whenFound(std::function<void()> act)
{
    if (m_patience.isActive()) { // Enter was pressed right after the last letter
        m_patience.stop();
        search();
    }
    if (isSearching())
        m_waiting = std::move(act);
    else
        act();
}

/// Continues from the current selection, which the arrow keys may have moved off the matches.
void SearchBar::followSelection()
{
    const auto selected =
        std::find_if(m_matches.begin(), m_matches.end(), [this](const Place &match) {
            return match.item == m_selection.item() && match.path == m_snapshot->path;
        });
    if (selected != m_matches.end())
        m_current = int(selected - m_matches.begin());
}

void SearchBar::step(int by)
{
    if (!isVisible()) {
        open();
        return;
    }
    if (m_patience.isActive() || isSearching()) {
        whenFound([this, by] { step(by); });
        return;
    }
    const int count = int(m_matches.size());
    if (count == 0)
        return;
    followSelection();
    m_current = m_current < 0 ? (by > 0 ? 0 : count - 1) : (m_current + by + count) % count;
    const Place match = m_matches[std::size_t(m_current)];
    if (match.path == m_snapshot->path)
        m_selection.select(match.item);
    else
        Q_EMIT chosenElsewhere(match);
    followSelection(); // the new graph was searched
    showCount();
}

void SearchBar::selectAll()
{
    if (m_patience.isActive() || isSearching()) {
        whenFound([this] { selectAll(); });
        return;
    }
    std::vector<Item> items;
    for (const Place &match : m_matches)
        if (match.path == m_snapshot->path)
            items.push_back(match.item);
    if (!items.empty())
        m_selection.select(std::move(items));
}

QString SearchBar::problem() const
{
    return m_problem->text();
}

void SearchBar::showCount()
{
    if (m_edit->query().isEmpty() || m_edit->query().problem())
        m_count->clear();
    else if (m_matches.empty())
        m_count->setText(tr("no matches"));
    else if (m_current < 0)
        m_count->setText(
            (m_matches.size() == 1 ? tr("1 match")
                                   : tr("%n matches", nullptr, int(m_matches.size()))) +
            (m_elsewhere > 0 ? tr(", %1 in other graphs").arg(m_elsewhere) : QString()));
    else
        m_count->setText(tr("%1 of %2").arg(m_current + 1).arg(m_matches.size()));
}

bool SearchBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    return m_keys.handle(static_cast<const QKeyEvent &>(*event)) ||
           QFrame::eventFilter(watched, event);
}

} // namespace graphloom
