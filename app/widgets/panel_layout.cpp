// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/panel_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[std::size_t(index)] : nullptr;
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    QLayoutItem *item = itemAt(index);
    if (item)
        m_items.erase(m_items.begin() + index);
    return item;
}

QSize FlowLayout::sizeHint() const
{
    const QMargins margins = contentsMargins();
    QSize size(0, 0); // without a value it would be one pixel less
    for (const QLayoutItem *item : m_items) {
        const QSize one = item->sizeHint();
        size = {size.width() + one.width() + spacing(), std::max(size.height(), one.height())};
    }
    return size.grownBy(margins);
}

QSize FlowLayout::minimumSize() const
{
    QSize size(0, 0);
    for (const QLayoutItem *item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

/// Returns the height of the rows, and moves the items there if `moves` is set.
int FlowLayout::arrange(const QRect &rect, bool moves) const
{
    const QMargins margins = contentsMargins();
    const QRect room = rect.marginsRemoved(margins);
    int x = room.left(), y = room.top(), rowHeight = 0;
    std::vector<std::pair<QLayoutItem *, QRect>> row;
    const auto endRow = [&] {
        for (const auto &[item, place] : row)
            if (moves) // in the middle of the row
                item->setGeometry(QRect(
                    place.topLeft() + QPoint(0, (rowHeight - place.height()) / 2), place.size()));
        row.clear();
    };
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue; // hidden
        const QSize size = item->sizeHint();
        if (x > room.left() && x + size.width() > room.right() + 1) {
            endRow();
            x = room.left();
            y += rowHeight + spacing();
            rowHeight = 0;
        }
        row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        rowHeight = std::max(rowHeight, size.height());
    }
    endRow();
    return y + rowHeight - rect.top() + margins.bottom();
}

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

QToolButton *actionButton(QAction *action)
{
    auto *button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    return button;
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
