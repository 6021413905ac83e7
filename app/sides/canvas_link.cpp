// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sides/canvas_link.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t mostCandidates = 64; // nodes around the centre that are tried

/// Returns drawn nodes around the centre of what is seen, the nearest first.
std::vector<std::uint32_t> nodesAround(const Drawing &drawing, const QRectF &seen)
{
    // Search in growing squares: a view of all of a large graph has thousands of nodes.
    constexpr double firstPart = 1.0 / 16;
    constexpr std::size_t enough = 8;
    if (drawing.nodes.empty())
        return {};
    const QPointF centre = seen.center();
    std::vector<std::uint32_t> found;
    double side = firstPart * std::max(seen.width(), seen.height());
    for (bool last = false; !last; side *= 2) {
        // What is nearest may be beside the square in which the first ones are.
        last = found.size() >= enough;
        const QRectF square(centre - QPointF(side, side) / 2, QSizeF(side, side));
        last = last || square.contains(drawing.bounds);
        found = drawing.nodeIndex.in(square);
        std::erase_if(found, [&](std::uint32_t v) { return !drawing.nodes[v].intersects(square); });
    }
    const std::size_t most = std::min(mostCandidates, found.size());
    std::ranges::partial_sort(found, found.begin() + std::ptrdiff_t(most), {},
                              [&](std::uint32_t v) {
                                  const QPointF away = drawing.nodes[v].center() - centre;
                                  return QPointF::dotProduct(away, away);
                              });
    found.resize(most);
    return found;
}

} // namespace

CanvasLink::CanvasLink(Sides &sides, GraphCanvas &before, GraphCanvas &now)
    : m_sides(sides), m_before(before), m_now(now)
{
    for (const Side side : bothSides)
        connect(&canvas(side), &GraphCanvas::viewChanged, this,
                [this, side] { viewChanged(side); });
}

void CanvasLink::setLinked(bool linked)
{
    m_linked = linked;
    if (linked) {
        align(Side::Now);
        return;
    }
    for (const Side side : bothSides)
        canvas(side).setMostFitScale(1);
}

void CanvasLink::viewChanged(Side side)
{
    // A selection that follows the other side's must not move that one.
    if (!m_linked || m_moving || m_sides.isFollowing())
        return;
    if (canvas(side).isAdapting()) {
        if (canvas(side).view().fitted)
            fitBoth();
        return;
    }
    align(side);
}

void CanvasLink::fitBoth()
{
    const QScopedValueRollback moving(m_moving, true);
    double scale = 1;
    for (const Side side : bothSides)
        if (const DrawingPointer &drawing = canvas(side).drawing())
            scale = std::min(scale, fittedView(*drawing, canvas(side).viewport()->size()).scale);
    for (const Side side : bothSides) {
        canvas(side).setMostFitScale(scale);
        if (!canvas(side).view().fitted)
            canvas(side).fit();
    }
}

void CanvasLink::align(Side from)
{
    GraphCanvas &source = canvas(from), &target = canvas(otherSide(from));
    if (!m_linked || m_moving || !source.drawing() || !target.drawing())
        return;
    const DrawingView view = source.view();
    if (view.fitted) {
        fitBoth();
        return;
    }
    const CounterpartsPointer counterparts = m_sides.counterparts();
    if (!counterparts)
        return;
    const QScopedValueRollback moving(m_moving, true);
    if (const auto anchor = anchorOf(from, *counterparts)) {
        target.setView({view.scale, anchor->there + view.centre - anchor->here});
        return;
    }
    // Nothing has a counterpart: go to the same part of the drawing.
    const QRectF &here = source.drawing()->bounds, &there = target.drawing()->bounds;
    const QPointF part((view.centre.x() - here.left()) / std::max(1.0, here.width()),
                       (view.centre.y() - here.top()) / std::max(1.0, here.height()));
    target.setView({view.scale, there.topLeft() +
                                    QPointF(part.x() * there.width(), part.y() * there.height())});
}

std::optional<CanvasLink::Anchor> CanvasLink::anchorAt(Side from, const Counterparts &counterparts,
                                                       const Item &item)
{
    const auto here = canvas(from).drawing()->rectOf(item);
    if (!here)
        return std::nullopt;
    for (const Item &other : counterparts.of(from, item))
        if (const auto there = canvas(otherSide(from)).drawing()->rectOf(other))
            return Anchor{here->center(), there->center()};
    return std::nullopt;
}

std::optional<CanvasLink::Anchor> CanvasLink::anchorOf(Side from, const Counterparts &counterparts)
{
    const Drawing &drawing = *canvas(from).drawing();
    const QRectF seen = canvas(from).visibleScene();
    const Item &selected = m_sides.selection(from).item();
    if (const std::uint32_t node = drawing.graph.nodeOf(selected);
        node != VisibleGraph::none && seen.intersects(drawing.nodes[node]))
        if (const auto anchor = anchorAt(from, counterparts, selected))
            return anchor;
    for (const std::uint32_t v : nodesAround(drawing, seen))
        if (const auto anchor = anchorAt(from, counterparts, drawing.graph.nodes[v].item))
            return anchor;
    return std::nullopt;
}

} // namespace graphloom
