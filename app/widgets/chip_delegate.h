// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include <functional>

namespace graphloom {

/// Draws a chip in a colour of the legend in front of a text.
class ChipDelegate final : public QStyledItemDelegate {
public:
    struct Chip {
        QColor border, fill;
    };
    static constexpr int room = 18; // pixels that a text is shifted by
    using QStyledItemDelegate::QStyledItemDelegate;

    void setChips(std::function<Chip(const QModelIndex &)> chipOf) { m_chipOf = std::move(chipOf); }
    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;

private:
    std::function<Chip(const QModelIndex &)> m_chipOf;
};

} // namespace graphloom
