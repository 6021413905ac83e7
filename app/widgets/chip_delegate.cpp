// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/chip_delegate.h"

#include <QPainter>

namespace graphloom {

void ChipDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                         const QModelIndex &index) const
{
    QStyleOptionViewItem shifted = option;
    initStyleOption(&shifted, index);
    const QRect place(option.rect.left() + 6, option.rect.center().y() - 4, 9, 9);
    shifted.rect.setLeft(option.rect.left() + room);
    // The row's background reaches to the left edge.
    QStyleOptionViewItem whole = shifted;
    whole.rect = option.rect;
    whole.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &whole, painter, option.widget);
    shifted.state &= ~QStyle::State_HasFocus;
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &shifted, painter, option.widget);
    if (!m_chipOf)
        return;
    const Chip chip = m_chipOf(index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(chip.border, 0.8));
    painter->setBrush(chip.fill);
    painter->drawRoundedRect(place, 2, 2);
    painter->restore();
}

} // namespace graphloom
