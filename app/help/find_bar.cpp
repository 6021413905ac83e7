// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/find_bar.h"

#include "app/style/icons.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTextBrowser>
#include <QToolButton>

#include <algorithm>

namespace graphloom {

FindBar::FindBar(QTextBrowser &browser, QWidget *parent)
    : QFrame(parent), m_browser(browser), m_edit(new QLineEdit), m_state(new QLabel)
{
    setObjectName(QStringLiteral("helpFind"));
    auto *line = new QHBoxLayout(this);
    line->setContentsMargins(6, 4, 6, 4);
    m_edit->setObjectName(QStringLiteral("helpFindEdit"));
    m_edit->setPlaceholderText(tr("Find in this page"));
    m_edit->setAccessibleName(tr("Find in this page"));
    m_edit->setClearButtonEnabled(true);
    m_edit->installEventFilter(this);
    m_state->setForegroundRole(QPalette::PlaceholderText);
    line->addWidget(m_edit, 1);
    line->addWidget(m_state);
    const auto button = [&](const char *icon, const QString &meaning, auto act) {
        auto *made = new QToolButton;
        made->setIcon(themedIcon(QLatin1String(icon)));
        made->setAutoRaise(true);
        made->setToolTip(meaning);
        made->setAccessibleName(meaning);
        connect(made, &QToolButton::clicked, this, act);
        line->addWidget(made);
    };
    button("previous", tr("Previous match (Shift+F3)"), [this] { step(-1); });
    button("next", tr("Next match (F3)"), [this] { step(1); });
    button("close", tr("Close (Esc)"), [this] { close(); });
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::find);
    connect(&m_browser, &QTextBrowser::sourceChanged, this, &FindBar::refresh);
    hide();
}

void FindBar::open()
{
    if (const QString chosen = m_browser.textCursor().selectedText(); !chosen.isEmpty())
        m_edit->setText(chosen);
    show();
    m_edit->setFocus();
    m_edit->selectAll();
    find();
}

void FindBar::close()
{
    hide();
    m_matches.clear();
    m_current = -1;
    m_browser.setExtraSelections({});
    m_browser.setFocus();
}

void FindBar::refresh()
{
    if (!isHidden())
        find();
}

QString FindBar::state() const
{
    if (m_edit->text().isEmpty())
        return {};
    return m_matches.empty() ? tr("No match")
                             : tr("%1 of %2").arg(m_current + 1).arg(m_matches.size());
}

/// Finds all matches, and shows the first one in view or after it.
void FindBar::find()
{
    m_matches.clear();
    m_current = -1;
    QTextCursor cursor(m_browser.document());
    while (!m_edit->text().isEmpty()) {
        cursor = m_browser.document()->find(m_edit->text(), cursor);
        if (cursor.isNull())
            break;
        m_matches.push_back(cursor.selectionStart());
    }
    if (!m_matches.empty()) {
        const int top = m_browser.cursorForPosition(QPoint(0, 0)).position();
        const auto next = std::ranges::lower_bound(m_matches, top);
        m_current = next == m_matches.end() ? 0 : int(next - m_matches.begin());
    }
    mark();
}

void FindBar::step(int by)
{
    if (isHidden()) {
        open();
        return;
    }
    if (m_matches.empty())
        return;
    const int count = int(m_matches.size());
    m_current = (m_current + by + count) % count;
    mark();
}

void FindBar::mark()
{
    QList<QTextEdit::ExtraSelection> marks;
    for (int i = 0; i < int(m_matches.size()); ++i) {
        QTextEdit::ExtraSelection one;
        one.cursor = QTextCursor(m_browser.document());
        one.cursor.setPosition(m_matches[std::size_t(i)]);
        one.cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor,
                                int(m_edit->text().size()));
        const bool isCurrent = i == m_current;
        QColor ground = m_browser.palette().color(QPalette::Highlight);
        if (!isCurrent)
            ground.setAlpha(70);
        one.format.setBackground(ground);
        if (isCurrent) {
            one.format.setForeground(m_browser.palette().color(QPalette::HighlightedText));
            QTextCursor place = one.cursor;
            place.clearSelection();
            m_browser.setTextCursor(place); // scrolls there
        }
        marks << one;
    }
    m_browser.setExtraSelections(marks);
    m_state->setText(state());
    m_edit->setAccessibleDescription(state());
}

/// Takes its keys before the window does.
bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit ||
        (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress))
        return QFrame::eventFilter(watched, event);
    const auto &key = static_cast<const QKeyEvent &>(*event);
    const bool steps =
        key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter || key.key() == Qt::Key_F3;
    const bool finds = key.matches(QKeySequence::Find);
    if (!steps && !finds && key.key() != Qt::Key_Escape)
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (steps)
        step((key.modifiers() & Qt::ShiftModifier) != 0 ? -1 : 1);
    else if (finds)
        m_edit->selectAll();
    else
        close();
    return true;
}

} // namespace graphloom
