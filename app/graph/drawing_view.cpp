// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/drawing_view.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr double readableScale = 0.7, hardlyReadableScale = 0.47;
constexpr double margin = 24;             // pixels around the drawing
constexpr double little = 0.4;            // a share of the viewport
constexpr double muchLess = 0.6;          // of the share before
constexpr std::size_t mostCandidates = 64; // nodes that may keep their place

double fitScale(const QSizeF &extent, const QSizeF &viewport)
{
    const QSizeF room = viewport - QSizeF(2 * margin, 2 * margin);
    return std::clamp(std::min(room.width() / std::max(1.0, extent.width()),
                               room.height() / std::max(1.0, extent.height())),
                      leastViewScale, 1.0);
}

std::vector<std::uint32_t> nodesIn(const Drawing &drawing, const QRectF &part)
{
    std::vector<std::uint32_t> found;
    for (const std::uint32_t v : drawing.nodeIndex.in(part))
        if (drawing.nodes[v].intersects(part))
            found.push_back(v);
    return found;
}

/// Returns the share of the viewport over which the nodes in view extend, in the direction in which
/// it is greater.
double shareInView(const Drawing &drawing, const QRectF &seen)
{
    QRectF around;
    for (const std::uint32_t v : nodesIn(drawing, seen))
        around |= drawing.nodes[v] & seen;
    return std::max(around.width() / seen.width(), around.height() / seen.height());
}

/// Returns the topmost drawn node of a group that is drawn as a box, or none.
std::uint32_t firstNodeIn(const Drawing &drawing, const QRectF &box)
{
    std::uint32_t first = VisibleGraph::none;
    for (const std::uint32_t v : drawing.nodeIndex.in(box))
        if (box.contains(drawing.nodes[v]) &&
            (first == VisibleGraph::none || drawing.nodes[v].top() < drawing.nodes[first].top()))
            first = v;
    return first;
}

/// Returns an item of the drawing before as an item of the next one. Passes give nodes other ids.
Item itemIn(const Drawing &next, const Drawing &before, const Item &item)
{
    const Item now = sameItemIn(*next.snapshot, *before.snapshot, item);
    if (now.kind != Item::Kind::Node || !before.snapshot->contains(item))
        return now;
    const NodeFacts &was = before.snapshot->facts->of(item.node());
    const NodeFacts &is = next.snapshot->facts->of(now.node());
    return was.op == is.op && was.name == is.name ? now : Item();
}

/// Returns how far the view has to move so that the item keeps its place on screen.
std::optional<QPointF> moveOf(const Item &item, const Drawing &before, const QRectF &seen,
                              const Drawing &next)
{
    const auto was = before.rectOf(item);
    const Item same = itemIn(next, before, item);
    const auto now = same ? next.rectOf(same) : std::nullopt;
    if (!was || !now || !seen.intersects(*was))
        return std::nullopt;
    const bool isBox = next.graph.groupOf(same) != VisibleGraph::none;
    if (before.graph.groupOf(item) == VisibleGraph::none) {
        const std::uint32_t first = isBox ? firstNodeIn(next, *now) : VisibleGraph::none;
        return (first == VisibleGraph::none ? *now : next.nodes[first]).center() - was->center();
    }
    const QPointF place = (*was & seen).center(); // of what was in view of the box
    if (!isBox)
        return now->center() - place;
    const QPointF inside = place - was->topLeft();
    return now->topLeft() + QPointF(inside.x() * now->width() / was->width(),
                                    inside.y() * now->height() / was->height()) -
           place;
}

std::vector<Item> candidates(const Drawing &drawing, const QRectF &seen, const Item &selected)
{
    std::vector<std::uint32_t> nodes = nodesIn(drawing, seen);
    const auto distance = [&](std::uint32_t v) {
        return (drawing.nodes[v].center() - seen.center()).manhattanLength();
    };
    const std::size_t most = std::min(mostCandidates, nodes.size());
    std::ranges::partial_sort(nodes, nodes.begin() + std::ptrdiff_t(most), {}, distance);
    std::vector<Item> items;
    if (selected)
        items.push_back(selected);
    for (std::size_t i = 0; i < most; ++i)
        items.push_back(drawing.graph.nodes[nodes[i]].item);
    return items;
}

/// Returns the view of a group that has been expanded, as much of it as is readable.
DrawingView viewOfBox(const Drawing &drawing, const QRectF &box, double scale,
                      const QSizeF &viewport)
{
    const double whole = std::min(scale, fitScale(box.size(), viewport));
    if (whole >= std::min(scale, hardlyReadableScale))
        return {whole, box.center()};
    const double own = std::max(scale, hardlyReadableScale);
    const QSizeF half = viewport / own / 2;
    const double top = box.top() - margin / own + half.height();
    const std::uint32_t first = firstNodeIn(drawing, box);
    const std::array middles{
        box.center().x(), box.left() - margin / own + half.width(),
        first == VisibleGraph::none ? box.center().x() : drawing.nodes[first].center().x()};
    DrawingView best;
    std::size_t most = 0;
    for (const double middle : middles) {
        const DrawingView view{own, QPointF(middle, top)};
        if (const std::size_t seen = nodesIn(drawing, view.sceneOn(viewport)).size() + 1;
            seen > most) {
            most = seen;
            best = view;
        }
    }
    return best;
}

QPointF scaled(const QPointF &place, const QRectF &from, const QRectF &to)
{
    const QPointF part((place.x() - from.left()) / std::max(1.0, from.width()),
                       (place.y() - from.top()) / std::max(1.0, from.height()));
    return to.topLeft() + QPointF(part.x() * to.width(), part.y() * to.height());
}

DrawingView movedView(const Drawing &before, const DrawingView &view, const Drawing &next,
                      const QSizeF &viewport, const Item &selected)
{
    const QRectF seen = view.sceneOn(viewport);
    const Item same = selected ? itemIn(next, before, selected) : Item();
    const bool opened = before.graph.nodeOf(selected) != VisibleGraph::none && same.isGroup() &&
                        next.graph.groupOf(same) != VisibleGraph::none;
    if (opened && seen.intersects(*before.rectOf(selected)))
        return viewOfBox(next, *next.rectOf(same), view.scale, viewport);
    for (const Item &item : candidates(before, seen, selected))
        if (const auto move = moveOf(item, before, seen, next))
            return {view.scale, view.centre + *move};
    return {view.scale, scaled(view.centre, before.bounds, next.bounds)};
}

} // namespace

DrawingView fittedView(const Drawing &drawing, const QSizeF &viewport)
{
    return {fitScale(drawing.bounds.size(), viewport), drawing.bounds.center(), true};
}

DrawingView viewInside(const Drawing &drawing, DrawingView view)
{
    const QRectF &all = drawing.bounds;
    view.centre = {std::clamp(view.centre.x(), all.left(), std::max(all.left(), all.right())),
                   std::clamp(view.centre.y(), all.top(), std::max(all.top(), all.bottom()))};
    return view;
}

DrawingView readableView(const Drawing &drawing, const QSizeF &viewport)
{
    const DrawingView whole = fittedView(drawing, viewport);
    if (whole.scale >= hardlyReadableScale || drawing.nodes.empty())
        return whole;
    const QRectF &bounds = drawing.bounds;
    const QSizeF size = viewport / readableScale;
    const double around = margin / readableScale;
    QPointF corner = bounds.topLeft() - QPointF(around, around);
    if (bounds.width() + 2 * around < size.width())
        corner.setX(bounds.center().x() - size.width() / 2);
    // Long edges may leave the corner empty: then start at the first node.
    const QRectF &first = drawing.nodes.front();
    if (first.center().x() >= corner.x() + size.width() - around)
        corner.setX(first.center().x() - size.width() / 2);
    if (first.top() >= corner.y() + size.height() / 2)
        corner.setY(first.top() - 2 * around);
    return {readableScale, corner + QPointF(size.width(), size.height()) / 2};
}

DrawingView keptView(const Drawing &before, const DrawingView &view, const Drawing &next,
                     const QSizeF &viewport, const Item &selected)
{
    if (view.fitted || viewport.isEmpty())
        return fittedView(next, viewport);
    const DrawingView kept = movedView(before, view, next, viewport, selected);
    const double share = shareInView(next, kept.sceneOn(viewport));
    const bool lost =
        share == 0 ||
        (share < little && share < muchLess * shareInView(before, view.sceneOn(viewport)));
    return lost ? fittedView(next, viewport) : kept;
}

} // namespace graphloom
