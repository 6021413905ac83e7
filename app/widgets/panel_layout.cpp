// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/panel_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

QVBoxLayout *makeColumn(QWidget &content)
{
    auto *column = new QVBoxLayout(&content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QWidget *makeTabbedContent(QLabel &line, QTabWidget &tabs)
{
    constexpr int leastWidth = 200;
    line.setWordWrap(true);
    tabs.setDocumentMode(true);
    tabs.setMinimumWidth(leastWidth);
    auto *content = new QWidget;
    QVBoxLayout *rows = makeColumn(*content);
    rows->addWidget(&line);
    rows->addWidget(&tabs, 1);
    return content;
}

QHBoxLayout *makeToolRow(QWidget &bar)
{
    auto *row = new QHBoxLayout(&bar);
    row->setContentsMargins(6, 3, 6, 0);
    row->setSpacing(3);
    return row;
}

QToolButton *addTool(QHBoxLayout &row, const char *name, const QString &text,
                     const QString &meaning)
{
    auto *button = new QToolButton;
    button->setText(text);
    button->setToolTip(meaning);
    button->setWhatsThis(meaning);
    button->setAutoRaise(true);
    button->setObjectName(QLatin1String(name));
    row.addWidget(button);
    return button;
}

} // namespace graphloom
