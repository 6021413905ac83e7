// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/drawing.h"

#include "app/common/format.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom {

namespace {

constexpr double cornerRadius = 6;
constexpr int longestStub = 12;

QRectF toQt(const layout::Rect &rect)
{
    return {rect.left, rect.top, rect.width(), rect.height()};
}

QPointF toQt(layout::Point point)
{
    return {point.x, point.y};
}

bool isStraight(QPointF a, QPointF b)
{
    return a.x() == b.x() || a.y() == b.y();
}

/// Returns the point `distance` before `b` on the line from `a`.
QPointF before(QPointF a, QPointF b, double distance)
{
    const double length = std::hypot(b.x() - a.x(), b.y() - a.y());
    return length > 0 ? b - (b - a) * std::min(1.0, distance / length) : b;
}

/// Returns the distance of a place from the line between two points.
double distanceTo(QPointF a, QPointF b, QPointF place)
{
    const QPointF line = b - a, offset = place - a;
    const double length = QPointF::dotProduct(line, line);
    const double part =
        length > 0 ? std::clamp(QPointF::dotProduct(offset, line) / length, 0.0, 1.0) : 0.0;
    const QPointF apart = offset - line * part;
    return std::hypot(apart.x(), apart.y());
}

/// Returns straight pieces with round corners; pieces that are neither horizontal nor vertical
/// become curves with vertical ends.
QPainterPath pathOf(const layout::Route &route)
{
    QPainterPath path;
    if (route.empty())
        return path;
    path.moveTo(toQt(route.front()));
    for (std::size_t i = 1; i < route.size(); ++i) {
        const QPointF a = toQt(route[i - 1]), b = toQt(route[i]);
        if (!isStraight(a, b)) {
            const double middle = (a.y() + b.y()) / 2;
            path.cubicTo({a.x(), middle}, {b.x(), middle}, b);
            continue;
        }
        const bool corner = i + 1 < route.size() && isStraight(b, toQt(route[i + 1])) &&
                            (a.x() == b.x()) != (b.x() == route[i + 1].x);
        if (!corner) {
            path.lineTo(b);
            continue;
        }
        const QPointF c = toQt(route[i + 1]);
        const double radius = std::min({cornerRadius, std::hypot(b.x() - a.x(), b.y() - a.y()) / 2,
                                        std::hypot(c.x() - b.x(), c.y() - b.y()) / 2});
        path.lineTo(before(a, b, radius));
        path.quadTo(b, before(c, b, radius));
    }
    return path;
}

double titleWidthOf(const VisibleGraph::Group &group)
{
    return QFontMetricsF(pixelFont(metrics::groupPixels, true)).horizontalAdvance(group.title) +
           metrics::groupGap +
           QFontMetricsF(pixelFont(metrics::subtitlePixels)).horizontalAdvance(group.subtitle) +
           2 * metrics::groupMargin;
}

} // namespace

QFont pixelFont(double pixels, bool bold)
{
    QFont font;
    font.setPixelSize(std::max(1, int(pixels)));
    font.setBold(bold);
    return font;
}

layout::Input layoutInputOf(const VisibleGraph &graph)
{
    const QFontMetricsF title(pixelFont(metrics::titlePixels, true)),
        subtitle(pixelFont(metrics::subtitlePixels));
    layout::Input input;
    input.groups = std::uint32_t(graph.groups.size());
    for (const VisibleGraph::Node &node : graph.nodes) {
        const double text = std::max(title.horizontalAdvance(node.title),
                                     subtitle.horizontalAdvance(node.subtitle));
        input.nodes.push_back(
            {std::max(metrics::leastNodeWidth, std::ceil(text) + 2 * metrics::nodePadding),
             metrics::nodeHeight, node.group});
    }
    for (const VisibleGraph::Group &group : graph.groups) {
        input.titleWidths.push_back(std::ceil(titleWidthOf(group)));
        input.parents.push_back(group.parent);
    }
    for (const VisibleGraph::Edge &edge : graph.edges)
        input.edges.push_back({edge.source, edge.target});
    return input;
}

DrawingPointer draw(SnapshotPointer snapshot, ViewOptions options, std::stop_token stop)
{
    bool connected = true;
    if (options.focus)
        options.only = nodesInFocus(*snapshot, options, &connected);
    VisibleGraph graph = visibleGraphOf(*snapshot, options);
    layout::Options layoutOptions;
    layoutOptions.aspect = options.columns ? options.aspect : 0;
    const auto layout = layout::arrange(layoutInputOf(graph), layoutOptions, stop);
    if (!layout || stop.stop_requested())
        return nullptr;
    return drawingOf(std::move(snapshot), std::move(options), std::move(graph), *layout, connected);
}

DrawingPointer drawingOf(SnapshotPointer snapshot, ViewOptions options, VisibleGraph graph,
                         const layout::Layout &layout, bool connected)
{
    auto drawing = std::make_shared<Drawing>();
    drawing->options = std::move(options);
    drawing->connected = connected;
    drawing->bounds = toQt(layout.bounds);
    drawing->ranks = layout.ranks;
    drawing->nodeIndex = drawing->edgeIndex = drawing->groupIndex = SpatialIndex(drawing->bounds);
    for (std::uint32_t v = 0; v < layout.nodes.size(); ++v) {
        drawing->nodes.push_back(toQt(layout.nodes[v]));
        drawing->outStubs.push_back(toQt(layout.outStubs[v]));
        drawing->inStubs.push_back(toQt(layout.inStubs[v]));
        drawing->nodeIndex.insert(
            v, drawing->nodes[v].united(drawing->outStubs[v]).united(drawing->inStubs[v]));
    }
    drawing->outStubText.resize(graph.nodes.size());
    drawing->inStubText.resize(graph.nodes.size());
    std::vector<std::uint32_t> stubsOut(graph.nodes.size(), 0);
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
        drawing->edges.push_back(pathOf(layout.routes[e]));
        const auto &route = layout.routes[e];
        for (std::size_t i = 1; i < route.size(); ++i)
            drawing->edgeIndex.insert(
                e, QRectF(toQt(route[i - 1]), toQt(route[i])).normalized().adjusted(-2, -2, 2, 2));
        if (layout.isStub(e)) {
            const VisibleGraph::Edge &edge = graph.edges[e];
            const QString name = fromUtf8(snapshot->graph().tensor(edge.tensor).name);
            drawing->inStubText[edge.target] = elided(name, longestStub);
            drawing->outStubText[edge.source] =
                ++stubsOut[edge.source] == 1
                    ? QStringLiteral("to ") + graph.nodes[edge.target].title
                    : QStringLiteral("to %1 nodes").arg(stubsOut[edge.source]);
        }
    }
    for (std::uint32_t g = 0; g < layout.groups.size(); ++g) {
        drawing->groups.push_back(toQt(layout.groups[g]));
        drawing->titleWidths.push_back(titleWidthOf(graph.groups[g]));
        drawing->groupIndex.insert(g, drawing->groups[g]);
    }
    drawing->below =
        layout::Adjacency(graph.nodes.size(), graph.edges, &VisibleGraph::Edge::source);
    drawing->above =
        layout::Adjacency(graph.nodes.size(), graph.edges, &VisibleGraph::Edge::target);
    drawing->graph = std::move(graph);
    drawing->snapshot = std::move(snapshot);
    return drawing;
}

Item Drawing::itemAt(const QPointF &place) const
{
    const QRectF spot(place, QSizeF(0, 0));
    for (const std::uint32_t v : nodeIndex.in(spot))
        if (nodes[v].contains(place))
            return graph.nodes[v].item;
    Item innermost; // inner boxes come after those around them
    for (const std::uint32_t g : groupIndex.in(spot))
        if (groups[g].contains(place))
            innermost = graph.groups[g].item;
    return innermost;
}

std::optional<TensorId> Drawing::tensorAt(const QPointF &place, double reach) const
{
    std::optional<TensorId> nearest;
    const QRectF around(place.x() - reach, place.y() - reach, 2 * reach, 2 * reach);
    for (const std::uint32_t e : edgeIndex.in(around)) {
        if (!edges[e].boundingRect().adjusted(-reach, -reach, reach, reach).contains(place))
            continue;
        for (const QPolygonF &line : edges[e].toSubpathPolygons())
            for (qsizetype i = 1; i < line.size(); ++i)
                if (const double now = distanceTo(line[i - 1], line[i], place); now <= reach) {
                    reach = now;
                    nearest = graph.edges[e].tensor;
                }
    }
    return nearest;
}

std::optional<QRectF> Drawing::rectOf(const Item &item) const
{
    if (item.kind == Item::Kind::Tensor) {
        const Item drawn = snapshot->standInOf(item);
        return drawn == item ? std::nullopt : rectOf(drawn);
    }
    if (const std::uint32_t node = graph.nodeOf(item); node != VisibleGraph::none)
        return nodes[node];
    if (const std::uint32_t group = graph.groupOf(item); group != VisibleGraph::none)
        return groups[group];
    if (!item.isGroup() || !snapshot->contains(item))
        return std::nullopt;
    QRectF around; // of a group without a box: around its nodes
    for (const NodeId id : snapshot->nodesOf(item))
        if (const std::uint32_t node = graph.nodeOf(Item::of(id)); node != VisibleGraph::none)
            around |= nodes[node];
    return around.isNull() ? std::nullopt : std::optional(around);
}

Item Drawing::neighbour(const Item &item, Direction direction) const
{
    std::uint32_t from = graph.nodeOf(snapshot->standInOf(item));
    if (from == VisibleGraph::none) {
        // From a box, the keys lead to its first or last node.
        if (graph.groupOf(item) == VisibleGraph::none)
            return {};
        const auto &members = snapshot->nodesOf(item);
        const std::uint32_t end =
            graph.nodeOf(Item::of(direction == Direction::Up ? members.front() : members.back()));
        return end == VisibleGraph::none ? Item() : graph.nodes[end].item;
    }
    std::uint32_t best = VisibleGraph::none;
    double distance = std::numeric_limits<double>::infinity();
    if (direction == Direction::Up || direction == Direction::Down) {
        // Prefer the shortest, then the straightest edge: the main path, if there is one.
        const bool down = direction == Direction::Down;
        for (const std::uint32_t e : down ? below.of(from) : above.of(from)) {
            const std::uint32_t to = down ? graph.edges[e].target : graph.edges[e].source;
            const double now = std::abs(double(ranks[to]) - double(ranks[from])) * 1e6 +
                               std::abs(nodes[to].center().x() - nodes[from].center().x());
            if (now < distance) {
                distance = now;
                best = to;
            }
        }
    } else {
        const double sign = direction == Direction::Right ? 1 : -1;
        for (std::uint32_t to = 0; to < nodes.size(); ++to) {
            const double dx = (nodes[to].center().x() - nodes[from].center().x()) * sign;
            const double dy = std::abs(nodes[to].center().y() - nodes[from].center().y());
            if (dx > 1 && dy < metrics::nodeHeight && dx + 4 * dy < distance) {
                distance = dx + 4 * dy;
                best = to;
            }
        }
    }
    return best == VisibleGraph::none ? Item{} : graph.nodes[best].item;
}

} // namespace graphloom
