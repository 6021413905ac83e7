// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/legend.h"

#include "app/models/format.h"

#include <QPainter>

namespace graphloom {

namespace {

constexpr int padding = 10, chip = 10, chipGap = 6, countGap = 5, entryGap = 20;

} // namespace

Legend::Legend(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Legend"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    setFont(small);
    setFixedHeight(fontMetrics().height() + 10);
}

void Legend::setSnapshot(const SnapshotPointer &snapshot)
{
    m_entries.clear();
    QString spoken;
    if (snapshot)
        for (const auto &[operatorClass, count] : snapshot->facts->classes) {
            m_entries.push_back(
                {operatorClass, fromUtf8(nameOf(operatorClass)), QString::number(count)});
            spoken += QStringLiteral("%1: %2. ").arg(m_entries.back().text, formatNodes(count));
        }
    setAccessibleDescription(spoken);
    setToolTip(spoken);
    update();
}

void Legend::setTheme(std::shared_ptr<const Theme> theme)
{
    m_theme = std::move(theme);
    update();
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), palette().color(QPalette::Mid));
    if (!m_theme)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    int x = padding;
    const auto write = [&](const QString &text, QPalette::ColorRole role) {
        const int advance = fontMetrics().horizontalAdvance(text);
        painter.setPen(palette().color(role));
        painter.drawText(QRect(x, 0, advance, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += advance;
    };
    for (const Entry &entry : m_entries) {
        painter.setPen(QPen(m_theme->canvas.nodeBorder, 0.8));
        painter.setBrush(m_theme->of(entry.operatorClass));
        painter.drawRoundedRect(QRectF(x + 0.5, (height() - chip) / 2 + 0.5, chip, chip), 2, 2);
        x += chip + chipGap;
        write(entry.text, QPalette::WindowText);
        x += countGap;
        write(entry.count, QPalette::PlaceholderText);
        x += entryGap;
    }
}

} // namespace graphloom
