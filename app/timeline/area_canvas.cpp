// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/area_canvas.h"

#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr int leastPattern = 4, leastBorder = 4; // device pixels high

bool isOnPattern(AreaPattern pattern, int x, int y)
{
    switch (pattern) {
    case AreaPattern::Plain:
        return false;
    case AreaPattern::Upright:
        return x % 6 == 0;
    case AreaPattern::Level:
        return y % 5 == 0;
    case AreaPattern::Rising:
        return (x + y) % 7 == 0;
    case AreaPattern::Falling:
        return ((x - y) % 5 + 5) % 5 < 2;
    case AreaPattern::Dots:
        return x % 4 == 0 && y % 4 == 0;
    case AreaPattern::Crossed:
        return (x + y) % 8 == 0 || ((x - y) % 8 + 8) % 8 == 0;
    }
    return false;
}

/// Adds the part of a line inside a rectangle; nothing if it only touches it.
void addLine(QPainterPath &path, const QRectF &rect, QPointF from, QPointF to)
{
    double begin = 0, end = 1;
    const QPointF along = to - from;
    const auto clip = [&](double start, double by, double least, double most) {
        if (by == 0) {
            if (start < least || start > most)
                end = -1;
            return;
        }
        const double a = (least - start) / by, b = (most - start) / by;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    };
    clip(from.x(), along.x(), rect.left(), rect.right());
    clip(from.y(), along.y(), rect.top(), rect.bottom());
    if (end <= begin)
        return;
    path.moveTo(from + begin * along);
    path.lineTo(from + end * along);
}

/// Adds the lines of a pattern in a rectangle; they continue in adjacent rectangles.
void addPattern(QPainterPath &path, const QRectF &rect, AreaPattern pattern)
{
    const auto from = [](double place, double apart) { return std::ceil(place / apart) * apart; };
    const auto upright = [&](double apart) {
        for (double x = from(rect.left(), apart); x < rect.right(); x += apart)
            addLine(path, rect, {x, rect.top()}, {x, rect.bottom()});
    };
    const auto level = [&](double apart) {
        for (double y = from(rect.top(), apart); y < rect.bottom(); y += apart)
            addLine(path, rect, {rect.left(), y}, {rect.right(), y});
    };
    const auto rising = [&](double apart) { // x + y is constant along a line
        const double last = rect.right() + rect.bottom();
        for (double sum = from(rect.left() + rect.top(), apart); sum < last; sum += apart)
            addLine(path, rect, {sum - rect.bottom(), rect.bottom()},
                    {sum - rect.top(), rect.top()});
    };
    const auto falling = [&](double apart) {
        const double last = rect.right() - rect.top();
        for (double less = from(rect.left() - rect.bottom(), apart); less < last; less += apart)
            addLine(path, rect, {less + rect.top(), rect.top()},
                    {less + rect.bottom(), rect.bottom()});
    };
    switch (pattern) {
    case AreaPattern::Plain:
        return;
    case AreaPattern::Upright:
        return upright(6);
    case AreaPattern::Level:
        return level(5);
    case AreaPattern::Rising:
        return rising(7);
    case AreaPattern::Falling:
        return falling(5);
    case AreaPattern::Dots:
        for (double y = from(rect.top(), 4); y < rect.bottom(); y += 4)
            for (double x = from(rect.left(), 4); x + 1 < rect.right(); x += 4)
                addLine(path, rect, {x, y}, {x + 1, y});
        return;
    case AreaPattern::Crossed:
        rising(8);
        return falling(8);
    }
}

} // namespace

AreaInk::AreaInk(const QColor &of)
    : colour(of), fill(of.rgb()), edge(of.darker(122).rgb()), pattern(of.darker(114).rgb())
{
}

AreaPattern patternOf(MemoryTimeline::Class kind)
{
    switch (kind) {
    case MemoryTimeline::Class::Input:
        return AreaPattern::Upright;
    case MemoryTimeline::Class::Output:
        return AreaPattern::Level;
    case MemoryTimeline::Class::Gradient:
        return AreaPattern::Rising;
    case MemoryTimeline::Class::Update:
        return AreaPattern::Dots;
    case MemoryTimeline::Class::Activation:
        break;
    }
    return AreaPattern::Plain;
}

PixelCanvas::PixelCanvas(int width, int height)
    : m_image(width, height, QImage::Format_ARGB32_Premultiplied)
{
    m_image.fill(Qt::transparent);
    m_bits = reinterpret_cast<QRgb *>(m_image.bits());
    m_stride = int(m_image.bytesPerLine() / qsizetype(sizeof(QRgb)));
}

void PixelCanvas::fill(int left, int right, int lower, int upper, const AreaInk &ink,
                       AreaPattern pattern, bool begins)
{
    const int height = m_image.height();
    const int top = std::clamp(height - upper, 0, height);
    const int bottom = std::clamp(height - lower, 0, height);
    left = std::clamp(left, 0, m_image.width());
    right = std::clamp(right, 0, m_image.width());
    for (int y = top; y < bottom; ++y) {
        QRgb *line = m_bits + std::ptrdiff_t(y) * m_stride;
        const bool edge = y == top && bottom - top >= leastBorder;
        std::fill(line + left, line + right, edge ? ink.edge : ink.fill);
        if (!edge && pattern != AreaPattern::Plain && bottom - top >= leastPattern)
            for (int x = left; x < right; ++x)
                if (isOnPattern(pattern, x, y))
                    line[x] = ink.pattern;
        if (begins && right - left >= leastBorder)
            line[left] = ink.edge;
    }
}

bool PixelCanvas::isTaken(int column, int row) const
{
    const int y = m_image.height() - 1 - row;
    return y < 0 || y >= m_image.height() || column >= m_image.width() ||
           m_bits[std::ptrdiff_t(y) * m_stride + column] != 0;
}

void PathCanvas::fill(int left, int right, int lower, int upper, const AreaInk &ink,
                      AreaPattern pattern, bool begins)
{
    const QRectF rect = QRectF(m_chart.left() + left / m_ratio, m_chart.bottom() - upper / m_ratio,
                               (right - left) / m_ratio, (upper - lower) / m_ratio)
                            .intersected(m_chart);
    if (rect.isEmpty())
        return;
    m_ink = ink;
    m_area.addRect(rect);
    if (upper - lower >= leastBorder)
        addLine(m_lines, rect, rect.topLeft(), rect.topRight());
    if (begins && right - left >= leastBorder)
        addLine(m_lines, rect, rect.topLeft(), rect.bottomLeft());
    if (upper - lower >= leastPattern)
        addPattern(m_lines, rect, pattern);
}

void PathCanvas::next()
{
    if (!m_area.isEmpty())
        m_painter.fillPath(m_area, m_ink.colour);
    if (!m_lines.isEmpty())
        m_painter.strokePath(m_lines, QPen(QColor::fromRgb(m_ink.edge), 0.7));
    m_area.clear();
    m_lines.clear();
}

void paintSample(QPainter &painter, const QRectF &rect, const QColor &colour, AreaPattern pattern)
{
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {
        PathCanvas canvas(painter, rect, 1);
        canvas.fill(0, int(rect.width()), 0, int(rect.height()), AreaInk(colour), pattern, false);
        return;
    }
    PixelCanvas canvas(int(rect.width()), int(rect.height()));
    canvas.fill(0, int(rect.width()), 0, int(rect.height()), AreaInk(colour), pattern, false);
    painter.drawImage(rect.topLeft(), canvas.image());
}

} // namespace graphloom
