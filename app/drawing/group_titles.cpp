// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/group_titles.h"

#include "app/drawing/drawing_painter.h"

#include <QFontMetricsF>

#include <algorithm>
#include <unordered_map>

namespace graphloom {

namespace {

constexpr double stripHeight = 16, shortest = 26; // pixels of titles
constexpr double lowest = 0.5;    // part of its box by which a title may be moved down
constexpr double leastBox = 2.2;  // height of a box that has a title, in titles
constexpr double leastInset = 2;  // pixels

/// Finds the places of titles and paints them.
class Titles {
public:
    Titles(const Drawing &drawing, double unit)
        : m_drawing(drawing), m_unit(unit), m_titleFont(pixelFont(metrics::groupPixels, true)),
          m_subtitleFont(pixelFont(metrics::subtitlePixels)), m_title(m_titleFont),
          m_subtitle(m_subtitleFont)
    {
    }

    QRectF placeOf(std::uint32_t g)
    {
        const auto [found, added] = m_places.emplace(g, QRectF());
        if (!added)
            return found->second;
        const QRectF place = find(g);
        return m_places[g] = place;
    }

    void paint(QPainter &painter, const Theme &theme, std::uint32_t g)
    {
        const auto &group = m_drawing.graph.groups[g];
        const QRectF place = placeOf(g);
        if (place.isNull())
            return;
        painter.save();
        painter.translate(place.topLeft());
        painter.scale(m_unit, m_unit);
        const QRectF strip(QPointF(0, 0), place.size() / m_unit);
        painter.fillRect(strip, groundOf(m_drawing, g, theme));
        painter.setPen(theme.canvas.groupText);
        painter.setFont(m_titleFont);
        painter.drawText(strip, Qt::AlignLeft | Qt::AlignVCenter,
                         m_title.elidedText(group.title, Qt::ElideRight, strip.width()));
        const double used = m_title.horizontalAdvance(group.title) + metrics::groupGap;
        if (const QString rest =
                m_subtitle.elidedText(group.subtitle, Qt::ElideRight, strip.width() - used);
            rest.size() > 1) {
            painter.setFont(m_subtitleFont);
            painter.drawText(strip.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, rest);
        }
        painter.restore();
    }

private:
    QRectF find(std::uint32_t g)
    {
        const QRectF &box = m_drawing.groups[g];
        const double inset = std::max(leastInset * m_unit, metrics::groupMargin);
        const double room = box.width() - 2 * inset, height = stripHeight * m_unit;
        if (room < shortest * m_unit || box.height() < leastBox * height)
            return {};
        const double width = std::min(room, m_drawing.titleWidths[g] * m_unit);
        QRectF place(box.left() + inset,
                     box.top() + std::max(m_unit, (metrics::groupStrip - height) / 2), width,
                     height);
        for (std::uint32_t around = m_drawing.graph.groups[g].parent; around != VisibleGraph::none;
             around = m_drawing.graph.groups[around].parent)
            if (const QRectF other = placeOf(around); other.intersects(place))
                place.moveTop(other.bottom() + m_unit);
        return place.bottom() - box.top() > lowest * box.height() ? QRectF() : place;
    }

    const Drawing &m_drawing;
    const double m_unit;
    const QFont m_titleFont, m_subtitleFont;
    const QFontMetricsF m_title, m_subtitle;
    std::unordered_map<std::uint32_t, QRectF> m_places; // by group
};

} // namespace

void paintGroupTitles(QPainter &painter, const Drawing &drawing, const Theme &theme,
                      const QRectF &exposed, double unit)
{
    Titles titles(drawing, unit);
    for (const std::uint32_t g : drawing.groupIndex.in(exposed))
        if (drawing.groups[g].intersects(exposed))
            titles.paint(painter, theme, g);
}

QRectF groupTitleRect(const Drawing &drawing, std::uint32_t group, double unit)
{
    return Titles(drawing, unit).placeOf(group);
}

} // namespace graphloom
