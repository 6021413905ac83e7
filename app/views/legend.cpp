// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/legend.h"

#include "app/models/format.h"

#include <QPainter>

namespace graphloom {

namespace {

constexpr int padding = 8, chip = 11, between = 7;

} // namespace

Legend::Legend(QWidget *parent) : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Legend"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    setFont(small);
}

void Legend::setSnapshot(const SnapshotPointer &snapshot)
{
    m_facts = snapshot ? snapshot->facts : nullptr;
    refresh();
}

void Legend::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    update();
}

void Legend::refresh()
{
    m_lines.clear();
    QString spoken;
    if (m_facts)
        for (const auto &[operatorClass, count] : m_facts->classes) {
            m_lines.push_back({operatorClass, fromUtf8(nameOf(operatorClass)), QString::number(count)});
            spoken += tr("%1: %2 nodes. ").arg(m_lines.back().text).arg(count);
        }
    setAccessibleDescription(spoken);
    int text = 0, count = 0;
    for (const Line &line : m_lines) {
        text = std::max(text, fontMetrics().horizontalAdvance(line.text));
        count = std::max(count, fontMetrics().horizontalAdvance(line.count));
    }
    resize(m_lines.empty() ? QSize(0, 0)
                           : QSize(2 * padding + chip + 2 * between + text + count + 6,
                                   2 * padding + int(m_lines.size()) * (fontMetrics().height() + 3) - 3));
    update();
}

void Legend::paintEvent(QPaintEvent *)
{
    if (!m_theme)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor background = palette().color(QPalette::Window);
    background.setAlpha(235);
    painter.setBrush(background);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    int y = padding;
    const int height = fontMetrics().height();
    for (const Line &line : m_lines) {
        painter.setPen(QPen(m_theme->canvas.nodeBorder, 0.8));
        painter.setBrush(m_theme->of(line.operatorClass));
        painter.drawRoundedRect(QRectF(padding + 0.5, y + (height - chip) / 2 + 0.5, chip, chip), 2, 2);
        const QRect row(padding + chip + between, y, width() - 2 * padding - chip - between, height);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, line.text);
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, line.count);
        y += height + 3;
    }
}

} // namespace graphloom
