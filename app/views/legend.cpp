// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/legend.h"

#include "app/models/format.h"

#include <QPainter>

#include <map>
#include <utility>

namespace graphloom {

namespace {

constexpr int padding = 10, chip = 10, chipGap = 6, countGap = 5, entryGap = 20, heatWidth = 180;

QString percent(double share)
{
    return QString::number(100 * share, 'f', 1) + QStringLiteral(" %");
}

} // namespace

Legend::Legend(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Legend"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    setFont(small);
    setFixedHeight(lineHeight());
}

int Legend::lineHeight() const
{
    return fontMetrics().height() + 10;
}

void Legend::setSnapshot(const SnapshotPointer &snapshot)
{
    m_snapshot = snapshot;
    refresh();
}

void Legend::setGrouping(Grouping grouping)
{
    if (std::exchange(m_grouping, grouping) != grouping)
        refresh();
}

void Legend::setHeat(const HeatPointer &heat)
{
    if (std::exchange(m_heat, heat) != heat)
        refresh();
}

void Legend::refresh()
{
    m_entries.clear();
    QString spoken;
    const auto add = [&](auto meaning, std::size_t count, const QString &counted) {
        m_entries.push_back({meaning, fromUtf8(nameOf(meaning)), QString::number(count)});
        spoken += QStringLiteral("%1: %2. ").arg(m_entries.back().text, counted);
    };
    if (m_heat)
        spoken = tr("Colours are shares of the time: 0 % to %1, the hottest block. ")
                     .arg(percent(m_heat->most()));
    else if (m_snapshot)
        for (const auto &[operatorClass, count] : m_snapshot->facts->classes)
            add(operatorClass, count, formatNodes(count));
    if (m_snapshot && m_snapshot->blocks && m_grouping == Grouping::Blocks) {
        std::map<MappingType, std::size_t> blocks;
        for (const FusionBlock &block : m_snapshot->plan->fusion->blocks)
            ++blocks[block.mapping];
        for (const auto &[mapping, count] : blocks)
            add(mapping, count, count == 1 ? tr("1 block") : tr("%1 blocks").arg(count));
    }
    const bool hasBlocks =
        !m_entries.empty() && std::holds_alternative<MappingType>(m_entries.back().meaning);
    setFixedHeight(lineHeight() * (hasBlocks ? 2 : 1));
    setAccessibleDescription(spoken);
    setToolTip(spoken);
    update();
}

void Legend::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    update();
}

/// In place of the first line: from cold to hot.
void Legend::paintHeat(QPainter &painter) const
{
    const auto write = [&](int x, const QString &text) {
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(QRect(x, 0, width() - x, lineHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
        return x + fontMetrics().horizontalAdvance(text);
    };
    int x = write(padding,
                  tr("share of the time (%1)   0 %").arg(fromUtf8(nameOf(m_heat->provenance())))) +
            chipGap;
    const QRectF bar(x + 0.5, (lineHeight() - chip) / 2 + 0.5, heatWidth, chip);
    QLinearGradient colours(bar.topLeft(), bar.topRight());
    const std::size_t stops = m_theme->heat.size();
    for (std::size_t i = 0; i < stops; ++i)
        colours.setColorAt(double(i) / double(std::max<std::size_t>(stops - 1, 1)),
                           m_theme->heat[i]);
    painter.setPen(QPen(m_theme->canvas.nodeBorder, 0.8));
    painter.setBrush(colours);
    painter.drawRoundedRect(bar, 2, 2);
    write(x + heatWidth + chipGap, tr("%1, the hottest block").arg(percent(m_heat->most())));
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), palette().color(QPalette::Mid));
    if (!m_theme)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_heat)
        paintHeat(painter);
    int x = padding, top = 0;
    const auto write = [&](const QString &text, QPalette::ColorRole role) {
        const int advance = fontMetrics().horizontalAdvance(text);
        painter.setPen(palette().color(role));
        painter.drawText(QRect(x, top, advance, lineHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
        x += advance;
    };
    for (const Entry &entry : m_entries) {
        if (std::holds_alternative<MappingType>(entry.meaning) && top == 0) {
            x = padding;
            top = lineHeight();
        }
        const QRectF place(x + 0.5, top + (lineHeight() - chip) / 2 + 0.5, chip, chip);
        if (const auto *operatorClass = std::get_if<OperatorClass>(&entry.meaning)) {
            painter.setPen(QPen(m_theme->canvas.nodeBorder, 0.8));
            painter.setBrush(m_theme->of(*operatorClass));
        } else { // as their boxes look
            const MappingType mapping = std::get<MappingType>(entry.meaning);
            painter.setPen(QPen(m_theme->of(mapping), 1.6));
            painter.setBrush(m_theme->groundOf(mapping));
        }
        painter.drawRoundedRect(place, 2, 2);
        x += chip + chipGap;
        write(entry.text, QPalette::WindowText);
        x += countGap;
        write(entry.count, QPalette::PlaceholderText);
        x += entryGap;
    }
}

} // namespace graphloom
