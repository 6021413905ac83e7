// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/edit_bar.h"

#include "app/widgets/filtered_table.h"

#include <QTextDocumentFragment>
#include <QToolButton>

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
    setText(text);
    setToolTip(text.isEmpty() ? QString()
                              : tr("%1\nClick a reason to show the nodes that cause it.")
                                    .arg(QTextDocumentFragment::fromHtml(text).toPlainText()));
}

} // namespace graphloom
