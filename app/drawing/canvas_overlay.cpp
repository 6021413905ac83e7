// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/canvas_overlay.h"

namespace graphloom {

namespace {

constexpr double leastMark = 9; // device pixels: smaller marks would be invisible
// With more of them, smooth edges and round corners would take longer than a frame.
constexpr std::size_t mostSmoothEdges = 24, mostRoundMarks = 100;

QPen markPen(const QColor &colour, double width)
{
    QPen pen(colour, width);
    pen.setCosmetic(true);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

/// Returns the frame of a rectangle at a distance in device pixels.
QRectF markOf(QRectF rect, double scale, double distance)
{
    const double least = leastMark / scale, by = distance / scale;
    if (rect.width() < least || rect.height() < least)
        rect = QRectF(rect.center() - QPointF(least, least) / 2, QSizeF(least, least));
    return rect.adjusted(-by, -by, by, by);
}

void mark(QPainter &painter, const QRectF &rect, double scale, double distance, double corner)
{
    const double round = corner + distance / scale;
    painter.drawRoundedRect(markOf(rect, scale, distance), round, round);
}

/// Draws the same frame as a pen, ten times as fast.
void paintFrame(QPainter &painter, const QRectF &rect, double width, const QColor &colour)
{
    painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), width), colour);
    painter.fillRect(QRectF(rect.left(), rect.bottom() - width, rect.width(), width), colour);
    painter.fillRect(QRectF(rect.left(), rect.top(), width, rect.height()), colour);
    painter.fillRect(QRectF(rect.right() - width, rect.top(), width, rect.height()), colour);
}

void markAll(QPainter &painter, const std::vector<QRectF> &rects, const QRectF &exposed,
             double scale, const QColor &colour, Qt::PenStyle line = Qt::SolidLine)
{
    const double reach = leastMark / scale;
    std::vector<QRectF> seen;
    for (const QRectF &rect : rects)
        if (rect.adjusted(-reach, -reach, reach, reach).intersects(exposed))
            seen.push_back(rect);
    if (seen.size() < mostRoundMarks) {
        painter.setRenderHint(QPainter::Antialiasing);
        QPen pen = markPen(colour, 2);
        pen.setStyle(line);
        painter.setPen(pen);
        for (const QRectF &rect : seen)
            mark(painter, rect, scale, 2, metrics::corner);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double width = 2 / scale;
    for (const QRectF &rect : seen)
        paintFrame(painter, markOf(rect, scale, 3), width, colour);
}

const QColor &colourOf(MatchMeaning meaning, const Theme &theme)
{
    switch (meaning) {
    case MatchMeaning::Removed:
        return theme.error;
    case MatchMeaning::Added:
        return theme.success;
    case MatchMeaning::Changed:
        return theme.warning;
    case MatchMeaning::Found:
        break;
    }
    return theme.canvas.match;
}

} // namespace

Qt::PenStyle lineOf(MatchMeaning meaning)
{
    return meaning == MatchMeaning::Removed   ? Qt::DashLine
           : meaning == MatchMeaning::Changed ? Qt::DotLine
                                              : Qt::SolidLine;
}

namespace {

void paintMatches(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const Marks &marks, double scale)
{
    std::vector<QRectF> rects;
    for (const std::uint32_t v : marks.nodes)
        rects.push_back(drawing.nodes[v]);
    markAll(painter, rects, exposed, scale, colourOf(marks.meaning, theme), lineOf(marks.meaning));
}

/// Marks the selected items other than the one chosen last.
void paintOthers(QPainter &painter, const Drawing &drawing, const Theme &theme,
                 const QRectF &exposed, const OverlayState &state)
{
    std::vector<QRectF> rects;
    for (const Item &item : *state.all)
        if (const auto rect = drawing.rectOf(item); rect && item != state.selected)
            rects.push_back(*rect);
    markAll(painter, rects, exposed, state.scale, theme.palette.color(QPalette::Highlight));
}

void paintEdges(QPainter &painter, const Drawing &drawing, const Theme &theme, std::uint32_t node)
{
    const auto in = drawing.above.of(node), out = drawing.below.of(node);
    painter.setRenderHint(QPainter::Antialiasing, in.size() + out.size() <= mostSmoothEdges);
    for (const auto &[edges, colour] :
         {std::pair{in, theme.canvas.edgeIn}, std::pair{out, theme.canvas.edgeOut}}) {
        painter.setPen(markPen(colour, 2));
        for (const std::uint32_t e : edges)
            painter.drawPath(drawing.edges[e]);
    }
}

/// Paints the edges of a tensor from its producer to all its readers.
void paintTensorEdges(QPainter &painter, const Drawing &drawing, const Theme &theme, TensorId id)
{
    const Snapshot &snapshot = *drawing.snapshot;
    const std::uint32_t from = drawing.graph.nodeOf(snapshot.standInOf(Item::tensor(id)));
    if (from == VisibleGraph::none)
        return;
    std::set<std::uint32_t> readers{drawing.graph.nodeOf(Item::output(id))};
    for (const Use &use : snapshot.graph().uses(id))
        readers.insert(drawing.graph.nodeOf(Item::of(use.node)));
    const auto out = drawing.below.of(from);
    painter.setRenderHint(QPainter::Antialiasing, out.size() <= mostSmoothEdges);
    painter.setPen(markPen(theme.canvas.edgeOut, 2));
    for (const std::uint32_t e : out)
        if (readers.contains(drawing.graph.edges[e].target))
            painter.drawPath(drawing.edges[e]);
}

/// Marks the nodes at the other ends of stubs, whose lines are not drawn.
void paintStubEnds(QPainter &painter, const Drawing &drawing, const Theme &theme,
                   std::uint32_t node, const QRectF &exposed, double scale)
{
    const auto markEnd = [&](std::uint32_t e, std::uint32_t other, const QColor &colour) {
        if (drawing.edges[e].isEmpty() && drawing.nodes[other].intersects(exposed)) {
            painter.setPen(markPen(colour, 2));
            mark(painter, drawing.nodes[other], scale, 1, metrics::corner);
        }
    };
    for (const std::uint32_t e : drawing.above.of(node))
        markEnd(e, drawing.graph.edges[e].source, theme.canvas.edgeIn);
    for (const std::uint32_t e : drawing.below.of(node))
        markEnd(e, drawing.graph.edges[e].target, theme.canvas.edgeOut);
}

/// Marks causes with dashes and a sign, not by colour alone.
void paintCauses(QPainter &painter, const Drawing &drawing, const Theme &theme,
                 const QRectF &exposed, const OverlayState &state)
{
    constexpr double badge = 15, distance = 4; // device pixels
    painter.setRenderHint(QPainter::Antialiasing);
    for (const std::uint32_t v : *state.causes) {
        const QRectF around = markOf(drawing.nodes[v], state.scale, distance);
        const double size = badge / state.scale;
        const QRectF sign(around.topLeft() - QPointF(size, size) / 2, QSizeF(size, size));
        if (!around.united(sign).intersects(exposed))
            continue;
        QPen pen = markPen(theme.error, 2.5);
        pen.setDashPattern({4, 2});
        painter.setPen(pen);
        const double round = metrics::corner + distance / state.scale;
        painter.drawRoundedRect(around, round, round);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.error);
        painter.drawEllipse(sign);
        painter.setBrush(Qt::NoBrush);
        // Draw the exclamation mark as strokes: fonts of such sizes in scene units are not exact.
        painter.setPen(markPen(theme.canvas.background, 2));
        const QPointF middle = sign.center();
        painter.drawLine(middle - QPointF(0, size * 0.28), middle + QPointF(0, size * 0.06));
        painter.drawPoint(middle + QPointF(0, size * 0.28));
    }
}

} // namespace

void paintOverlay(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const OverlayState &state)
{
    painter.setBrush(Qt::NoBrush);
    const std::uint32_t selected = drawing.graph.nodeOf(state.selected);
    if (state.selected.kind == Item::Kind::Tensor && drawing.snapshot->contains(state.selected))
        paintTensorEdges(painter, drawing, theme, state.selected.tensor());
    if (selected != VisibleGraph::none) {
        paintEdges(painter, drawing, theme, selected);
        painter.setRenderHint(QPainter::Antialiasing);
        paintStubEnds(painter, drawing, theme, selected, exposed, state.scale);
    }
    for (const Marks &marks : state.marks)
        if (!marks.nodes.empty())
            paintMatches(painter, drawing, theme, exposed, marks, state.scale);
    if (state.causes && !state.causes->empty())
        paintCauses(painter, drawing, theme, exposed, state);
    if (state.all && state.all->size() > 1)
        paintOthers(painter, drawing, theme, exposed, state);
    painter.setRenderHint(QPainter::Antialiasing);
    if (const auto rect = drawing.rectOf(state.hovered); rect && state.hovered != state.selected) {
        painter.setPen(markPen(theme.canvas.selection, 1));
        mark(painter, *rect, state.scale, 0, metrics::corner);
    }
    if (const auto rect = drawing.rectOf(state.selected)) {
        painter.setPen(markPen(theme.palette.color(QPalette::Highlight), 3));
        mark(painter, *rect, state.scale, 1.5, metrics::corner);
        painter.setPen(markPen(theme.canvas.selection, 1));
        mark(painter, *rect, state.scale, 3, metrics::corner);
    }
}

} // namespace graphloom
