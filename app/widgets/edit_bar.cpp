// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/edit_bar.h"

#include "app/widgets/filtered_table.h"

#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QToolButton>

#include <algorithm>

namespace graphloom {

EditBar::EditBar(FilteredTable &table) : m_table(table)
{
    setObjectName(QStringLiteral("legality"));
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setForegroundRole(QPalette::PlaceholderText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    table.addBeforeFilter(this, 2);
    connect(this, &QLabel::linkActivated, this,
            [this](const QString &link) { Q_EMIT causeWanted(link.toInt()); });
}

void EditBar::setActions(const std::vector<QAction *> &actions)
{
    for (auto it = actions.rbegin(); it != actions.rend(); ++it) {
        auto *button = new QToolButton;
        button->setDefaultAction(*it);
        button->setAutoRaise(true);
        m_table.addBeforeFilter(button, 0);
    }
}

void EditBar::setLegality(const QString &text)
{
    m_legality = text;
    elide();
    setToolTip(text.isEmpty() ? QString()
                              : tr("%1\nClick a reason to show the nodes that cause it.")
                                    .arg(QTextDocumentFragment::fromHtml(text).toPlainText()));
}

/// What is shown has the font, and its links have the colours, of when it was shortened.
void EditBar::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        elide();
}

void EditBar::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    elide();
}

/// Shows as much of the line as there is room for; its links stay links.
void EditBar::elide()
{
    QTextDocument document;
    document.setDefaultFont(font());
    document.setDocumentMargin(0);
    const auto fits = [&](int kept) {
        document.setHtml(m_legality);
        QTextCursor cursor(&document);
        cursor.setPosition(std::clamp(kept, 0, document.characterCount() - 1));
        if (!cursor.atEnd()) {
            cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
            cursor.insertText(QStringLiteral("…"));
        }
        return document.idealWidth() <= width();
    };
    document.setHtml(m_legality);
    int most = document.characterCount() - 1, least = 0;
    if (fits(most)) {
        setText(m_legality);
        return;
    }
    while (least + 1 < most) { // `least` fits, or nothing does
        const int middle = (least + most) / 2;
        (fits(middle) ? least : most) = middle;
    }
    fits(least);
    setText(least > 0 ? document.toHtml() : QString());
}

} // namespace graphloom
