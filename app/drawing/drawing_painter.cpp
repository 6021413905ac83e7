// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/drawing_painter.h"

#include "app/drawing/group_titles.h"

#include <algorithm>

namespace graphloom {

namespace {

// Details are omitted below these scales, at which they would not be discernible: the titles of
// nodes last of all texts and outlines.
constexpr double leastSubtitleScale = 0.62, leastTextScale = 0.42, leastOutlineScale = 0.2,
                 leastLabelScale = 0.17, leastCurveScale = 0.09;

constexpr double leastTitle = 8.5; // device pixels: a title is enlarged to them in its node,
constexpr double mostTitle = 0.72; // up to this part of its height

constexpr double leastDot = 1.6; // device pixels: minimum size of a node

QRectF atLeast(const QRectF &rect, double size)
{
    const double x = std::max(0.0, size - rect.width()) / 2,
                 y = std::max(0.0, size - rect.height()) / 2;
    return rect.adjusted(-x, -y, x, y);
}

/// Returns the value that colours the node, if a metric does.
std::optional<double> valueOf(const Drawing &drawing, std::uint32_t node, const Colouring &colours)
{
    return colours.metric ? colours.metric->of(*drawing.snapshot, drawing.graph.nodes[node].item)
                          : std::nullopt;
}

class PaintRun {
public:
    PaintRun(QPainter &painter, const Drawing &drawing, const Theme &theme, const QRectF &exposed,
             const PaintOptions &options)
        : m_painter(painter), m_drawing(drawing), m_theme(theme), m_exposed(exposed),
          m_options(options)
    {
    }

    void paint()
    {
        paintGroups();
        paintEdges();
        paintNodes();
        paintStubs();
        // Over the lines that enter the boxes.
        if (m_options.titles && shows(leastTextScale))
            paintGroupTitles(m_painter, m_drawing, m_theme, m_exposed, 1);
    }

private:
    bool shows(double leastScale) const { return m_options.scale >= leastScale; }

    void paintGroups()
    {
        m_painter.setRenderHint(QPainter::Antialiasing, shows(leastOutlineScale));
        for (const std::uint32_t g : m_drawing.groupIndex.in(m_exposed)) {
            const QRectF &rect = m_drawing.groups[g];
            if (!rect.intersects(m_exposed))
                continue;
            const auto &group = m_drawing.graph.groups[g];
            m_painter.setBrush(groundOf(m_drawing, g, m_theme));
            if (shows(leastOutlineScale)) {
                m_painter.setPen(borderOf(group.item));
                m_painter.drawRoundedRect(rect, 8, 8);
            } else {
                m_painter.fillRect(rect, m_painter.brush());
            }
        }
    }

    /// Returns the border of a group, a thick one for a locked block.
    QPen borderOf(const Item &group) const
    {
        if (group.kind != Item::Kind::Block)
            return QPen(m_theme.canvas.groupBorder, 1);
        const FusionBlock &block = m_drawing.snapshot->block(group);
        return QPen(m_theme.of(block.mapping), block.locked ? 3 : 1);
    }

    void paintEdges()
    {
        m_painter.setRenderHint(QPainter::Antialiasing, shows(leastCurveScale));
        m_painter.setBrush(Qt::NoBrush);
        const double width = shows(leastOutlineScale) ? 1.3 : 0; // 0: one device pixel
        QColor colour = m_theme.canvas.edge;
        // At small scales, indistinguishable lines would hide the nodes.
        colour.setAlphaF(float(std::clamp(m_options.scale / leastCurveScale, 0.35, 1.0)));
        for (const std::uint32_t e : m_drawing.edgeIndex.in(m_exposed)) {
            if (m_options.stop.stop_requested())
                return;
            const QPainterPath &path = m_drawing.edges[e];
            const std::uint32_t count = m_drawing.graph.edges[e].count;
            m_painter.setPen(QPen(colour, width > 0 && count > 1 ? width + 0.9 : width));
            if (shows(leastCurveScale))
                m_painter.drawPath(path);
            else
                for (int i = 1; i < path.elementCount(); ++i)
                    m_painter.drawLine(path.elementAt(i - 1), path.elementAt(i));
            if (shows(leastTextScale))
                paintArrow(path);
        }
    }

    void paintArrow(const QPainterPath &path)
    {
        if (path.isEmpty())
            return;
        const QPointF tip = path.currentPosition();
        if (!m_exposed.adjusted(-8, -8, 8, 8).contains(tip))
            return;
        const QPointF arrow[] = {tip, tip + QPointF(-3.5, -7), tip + QPointF(3.5, -7)};
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.canvas.edge);
        m_painter.drawConvexPolygon(arrow, 3);
        m_painter.setBrush(Qt::NoBrush);
    }

    void paintNodes()
    {
        m_painter.setRenderHint(QPainter::Antialiasing, shows(leastOutlineScale));
        const double onlyTitle =
            std::clamp(leastTitle / m_options.scale, double(metrics::titlePixels),
                       metrics::nodeHeight * mostTitle);
        const LabelFonts fonts{pixelFont(metrics::titlePixels, true),
                               pixelFont(metrics::subtitlePixels), pixelFont(onlyTitle, true)};
        const auto visible = m_drawing.nodeIndex.in(m_exposed);
        for (const std::uint32_t v : visible) {
            if (m_options.stop.stop_requested())
                return;
            const QRectF &rect = m_drawing.nodes[v];
            if (!atLeast(rect, leastDot / m_options.scale).intersects(m_exposed))
                continue;
            const QColor fill = fillOf(m_drawing, v, m_theme, m_options.colours);
            if (shows(leastOutlineScale))
                paintBox(rect, m_drawing.graph.nodes[v], fill);
            else
                m_painter.fillRect(atLeast(rect, leastDot / m_options.scale), fill);
            if (shows(leastLabelScale))
                paintLabel(v, fill, fonts);
        }
    }

    struct LabelFonts {
        QFont title, subtitle, onlyTitle;
    };

    /// Omits the subtitle first, when the scale becomes smaller, and then enlarges the title.
    void paintLabel(std::uint32_t v, const QColor &fill, const LabelFonts &fonts)
    {
        const VisibleGraph::Node &node = m_drawing.graph.nodes[v];
        const bool hot = valueOf(m_drawing, v, m_options.colours).has_value();
        const bool own = !hot && !isReadable(m_theme.canvas.nodeText, fill); // chosen by the user
        m_painter.setPen(hot || own ? textOn(fill) : m_theme.canvas.nodeText);
        const QRectF &rect = m_drawing.nodes[v];
        if (!shows(leastSubtitleScale)) {
            const QRectF text = rect.adjusted(2, 0, -2, 0);
            m_painter.setFont(fonts.onlyTitle);
            m_painter.drawText(text, Qt::AlignCenter,
                               QFontMetricsF(fonts.onlyTitle)
                                   .elidedText(node.title, Qt::ElideRight, text.width()));
            return;
        }
        const QRectF text = rect.adjusted(4, 4, -4, -4);
        m_painter.setFont(fonts.title);
        m_painter.drawText(QRectF(text.left(), text.top(), text.width(), text.height() * 0.54),
                           Qt::AlignCenter, node.title);
        m_painter.setPen(hot || own ? textOn(fill) : m_theme.canvas.nodeDim);
        m_painter.setFont(fonts.subtitle);
        m_painter.drawText(QRectF(text.left(), text.top() + text.height() * 0.54, text.width(),
                                  text.height() * 0.46),
                           Qt::AlignCenter, node.subtitle);
    }

    void paintBox(const QRectF &rect, const VisibleGraph::Node &node, const QColor &fill)
    {
        // Values of the parent graph have a dashed outline.
        m_painter.setPen(node.item.kind == Item::Kind::Captured
                             ? QPen(m_theme.canvas.groupText, 1.3, Qt::DashLine)
                             : QPen(m_theme.canvas.nodeBorder, 1));
        m_painter.setBrush(fill);
        if (node.item.isGroup()) // a stack: there is more inside
            m_painter.drawRoundedRect(rect.translated(3, 3), metrics::corner, metrics::corner);
        const double corner = node.item.isTensor() ? rect.height() / 2 : metrics::corner;
        m_painter.drawRoundedRect(rect, corner, corner);
        if (!node.nests)
            return;
        // A double frame shows that the node contains a graph.
        m_painter.setPen(QPen(m_theme.canvas.nodeText, 1));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(rect.adjusted(3, 3, -3, -3), metrics::corner - 2,
                                  metrics::corner - 2);
    }

    void paintStubs()
    {
        if (!shows(leastOutlineScale))
            return;
        for (const std::uint32_t v : m_drawing.nodeIndex.in(m_exposed)) {
            paintStub(m_drawing.outStubs[v], m_drawing.outStubText[v], true);
            paintStub(m_drawing.inStubs[v], m_drawing.inStubText[v], false);
        }
    }

    /// Draws a short line at the side of a node, labelled with what is at its other end.
    void paintStub(const QRectF &room, const QString &text, bool leaving)
    {
        if (room.isNull() || !room.intersects(m_exposed))
            return;
        const double y = room.center().y();
        m_painter.setPen(QPen(m_theme.canvas.edge, 1.3, leaving ? Qt::SolidLine : Qt::DashLine));
        m_painter.drawLine(QPointF(room.left() + 2, y),
                           QPointF(room.right() - (leaving ? 2 : 6), y));
        const QPointF tip(leaving ? room.right() - 2 : room.right(), y);
        const QPointF arrow[] = {tip, tip + QPointF(-7, -3.5), tip + QPointF(-7, 3.5)};
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.canvas.edge);
        m_painter.drawConvexPolygon(arrow, 3);
        if (!shows(leastTextScale))
            return;
        m_painter.setPen(m_theme.canvas.groupText);
        m_painter.setFont(pixelFont(metrics::stubPixels));
        const QRectF label(room.left() + 3, y - 16, room.width() - 8, 14);
        m_painter.drawText(
            label, Qt::AlignCenter,
            QFontMetricsF(m_painter.font()).elidedText(text, Qt::ElideMiddle, label.width()));
    }

    QPainter &m_painter;
    const Drawing &m_drawing;
    const Theme &m_theme;
    const QRectF m_exposed;
    const PaintOptions m_options;
};

} // namespace

QColor colourOf(const NodeMetric &metric, double value, const MetricRange &range,
                const Theme &theme)
{
    if (metric.isCategorical())
        return theme.categories[std::size_t(value) % theme.categories.size()];
    return theme.heatOf(metric.partOf(value, range));
}

QColor fillOf(const Drawing &drawing, std::uint32_t node, const Theme &theme,
              const Colouring &colours)
{
    if (const auto value = valueOf(drawing, node, colours))
        return colourOf(*colours.metric, *value, colours.range, theme);
    const auto &visible = drawing.graph.nodes[node];
    if (visible.item.isTensor())
        return theme.canvas.terminal;
    if (visible.item.kind == Item::Kind::Block)
        return theme.fillOf(drawing.snapshot->block(visible.item).mapping);
    const Item subgraph = visible.item.isGroup()
                              ? visible.item
                              : drawing.snapshot->groupOf(visible.item.node(), Grouping::Subgraphs);
    if (subgraph && subgraph.kind != Item::Kind::Subgraph)
        return theme.of(visible.operatorClass);
    if (colours.by == NodeColours::Subgraph && subgraph) {
        // Golden-angle hues keep consecutive subgraphs distinct.
        const int hue = int(subgraph.index * 137u) % 360;
        return theme.dark ? QColor::fromHsl(hue, 105, 88) : QColor::fromHsl(hue, 170, 205);
    }
    return theme.of(visible.operatorClass);
}

QColor groundOf(const Drawing &drawing, std::uint32_t group, const Theme &theme)
{
    const VisibleGraph::Group &box = drawing.graph.groups[group];
    switch (box.item.kind) {
    case Item::Kind::Block:
        return theme.groundOf(drawing.snapshot->block(box.item).mapping);
    case Item::Kind::Subgraph:
        return theme.ofGroup(box.item.index);
    default:
        return theme.ofGroup(box.depth);
    }
}

void paintDrawing(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const PaintOptions &options)
{
    PaintRun(painter, drawing, theme, exposed, options).paint();
}

} // namespace graphloom
