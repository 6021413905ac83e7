// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/layered.h"

#include "app/layout/columns.h"

#include <limits>

namespace graphloom::layout {

namespace {

Bands bandsOf(const LayeredInput &input, const Layers &layers, const LayeredOptions &options)
{
    Bands bands;
    double y = 0;
    bool pinnedBefore = false;
    for (const RankIndex r : layers.ranks()) {
        double height = 0;
        bool pinned = false;
        for (const VertexIndex v : layers.layer(r)) {
            if (layers.vertices()[v].chain)
                continue;
            height = std::max(height, input.nodes[v].height);
            pinned |= input.nodes[v].pin != Pin::Free;
        }
        if (r > RankIndex(0))
            y += pinned || pinnedBefore ? options.pinnedRankGap : options.rankGap;
        bands.push_back({y, y + height});
        y += height;
        pinnedBefore = pinned;
    }
    return bands;
}

} // namespace

std::optional<Layered> drawLayered(const LayeredInput &input, const LayeredOptions &options,
                                   std::stop_token stop)
{
    Layered result;
    if (input.nodes.empty())
        return result;
    Layers layers(input, options.gaps.edge);
    if (!layers.reduceCrossings(options.sweeps, stop))
        return std::nullopt;
    const auto x = placeHorizontally(layers, options.gaps);
    if (stop.stop_requested())
        return std::nullopt;
    const auto bands = bandsOf(input, layers, options);
    const double height = bands.back().bottom - bands.front().top;
    const Columns columns(layers, x, bands, height > options.tallest ? options.aspect : 0, stop);
    if (stop.stop_requested())
        return std::nullopt;
    result.hasColumns = columns.count() > 1;

    Rect bounds{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const VertexIndex v : input.nodes.indices()) {
        const auto rank = layers.vertices()[v].rank;
        const Point move = columns.move(rank);
        const Point axis{x[v] + move.x, (bands[rank].top + bands[rank].bottom) / 2 + move.y};
        result.axes.push_back(axis);
        const double half = input.nodes[v].height / 2;
        bounds.include(Rect{axis.x - input.nodes[v].left, axis.y - half,
                            axis.x + input.nodes[v].right, axis.y + half});
    }
    result.routes.resize(input.edges.size());
    for (const LineIndex e : input.edges.indices()) {
        const LayeredEdge &edge = input.edges[e];
        const bool turned = layers.isTurned(e);
        const auto &path = layers.path(e);
        Route &route = result.routes[e];
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto &vertex = layers.vertices()[path[i]];
            const Point move = columns.move(vertex.rank);
            double at = x[path[i]] + move.x;
            if (i == 0)
                at += turned ? edge.targetPort : edge.sourcePort;
            if (i + 1 == path.size())
                at += turned ? edge.sourcePort : edge.targetPort;
            const double half = vertex.chain ? 0 : input.nodes[path[i]].height / 2;
            const double top = bands[vertex.rank].top + move.y;
            const double bottom = bands[vertex.rank].bottom + move.y;
            if (i > 0) {
                const auto &before = layers.vertices()[path[i - 1]];
                const Point gone = columns.move(before.rank);
                double from = x[path[i - 1]] + gone.x;
                if (i == 1)
                    from += turned ? edge.targetPort : edge.sourcePort;
                if (gone != move)
                    for (const Point p : columns.connection(path[i - 1], from, at))
                        extend(route, p);
                extend(route, {at, top});
                if (!vertex.chain)
                    extend(route, {at, (top + bottom) / 2 - half});
            }
            if (i + 1 < path.size()) {
                if (!vertex.chain)
                    extend(route, {at, (top + bottom) / 2 + half});
                extend(route, {at, bottom});
            }
        }
        if (turned)
            std::reverse(route.begin(), route.end());
        for (const Point p : route)
            bounds.include(p);
    }
    for (Point &axis : result.axes)
        axis = {axis.x - bounds.left, axis.y - bounds.top};
    for (Route &route : result.routes)
        for (Point &p : route)
            p = {p.x - bounds.left, p.y - bounds.top};
    result.bounds = bounds.moved(-bounds.left, -bounds.top);
    return result;
}

} // namespace graphloom::layout
