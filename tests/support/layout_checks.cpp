// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layout_checks.h"

#include <map>
#include <random>
#include <set>

namespace graphloom::test {

namespace {

using layout::none;
using layout::Point;
using layout::Rect;

/// Tells whether a straight piece runs through the inside of a rectangle (Liang and Barsky).
bool crosses(Point a, Point b, const Rect &rect)
{
    double from = 0, to = 1;
    const auto clip = [&](double direction, double distance) {
        if (direction == 0)
            return distance > 0;
        const double t = distance / direction;
        if (direction < 0)
            from = std::max(from, t);
        else
            to = std::min(to, t);
        return from < to;
    };
    const double dx = b.x - a.x, dy = b.y - a.y;
    return clip(-dx, a.x - rect.left) && clip(dx, rect.right - a.x) && clip(-dy, a.y - rect.top) &&
           clip(dy, rect.bottom - a.y) && from < to;
}

std::string name(const char *what, std::size_t index)
{
    return std::string(what) + " " + std::to_string(index);
}

/// Reports the first overlap of named rectangles in a sweep from left to right.
std::string overlapOf(std::vector<std::pair<Rect, std::string>> rects)
{
    std::sort(rects.begin(), rects.end(),
              [](const auto &a, const auto &b) { return a.first.left < b.first.left; });
    for (std::size_t i = 0; i < rects.size(); ++i)
        for (std::size_t j = i + 1; j < rects.size() && rects[j].first.left < rects[i].first.right;
             ++j)
            if (rects[i].first.grown(-0.01).intersects(rects[j].first.grown(-0.01)))
                return rects[i].second + " overlaps " + rects[j].second;
    return {};
}

} // namespace

std::string defectOf(const layout::Input &input, const layout::Layout &drawing, bool oneColumn)
{
    if (drawing.nodes.size() != input.nodes.size() || drawing.routes.size() != input.edges.size() ||
        drawing.groups.size() != input.groups)
        return "sizes differ from the input's";
    const Rect all = drawing.bounds.grown(0.01);
    std::vector<std::pair<Rect, std::string>> leaves;
    std::map<std::uint32_t, std::vector<std::pair<Rect, std::string>>> boxes; // by parent group
    for (std::size_t v = 0; v < input.nodes.size(); ++v) {
        Rect rect = drawing.nodes[v];
        if (std::abs(rect.width() - input.nodes[v].width) > 0.01 ||
            std::abs(rect.height() - input.nodes[v].height) > 0.01)
            return name("node", v) + " changed its size";
        for (const Rect &stub : {drawing.outStubs[v], drawing.inStubs[v]})
            if (stub.width() > 0)
                rect.include(stub);
        if (!all.contains(rect))
            return name("node", v) + " is out of bounds";
        const std::uint32_t group = input.nodes[v].group;
        if (group != none && !drawing.groups[group].grown(0.01).contains(rect))
            return name("node", v) + " is outside its group";
        leaves.emplace_back(rect, name("node", v));
        boxes[group].emplace_back(rect, name("node", v));
    }
    for (std::size_t g = 0; g < input.groups; ++g) {
        const std::uint32_t parent = input.parents.empty() ? none : input.parents[g];
        boxes[parent].emplace_back(drawing.groups[g], name("group", g));
        if (!input.titleWidths.empty() && drawing.groups[g].width() < input.titleWidths[g])
            return name("group", g) + " is narrower than its title";
        if (parent != none && !drawing.groups[parent].grown(0.01).contains(drawing.groups[g]))
            return name("group", g) + " is outside the group around it";
        if (!all.contains(drawing.groups[g]))
            return name("group", g) + " is out of bounds";
    }
    if (auto overlap = overlapOf(leaves); !overlap.empty())
        return overlap;
    for (const auto &[parent, beside] : boxes)
        if (auto overlap = overlapOf(beside); !overlap.empty())
            return overlap;

    for (std::size_t e = 0; e < input.edges.size(); ++e) {
        const auto [u, v] = input.edges[e];
        if (drawing.ranks[u] >= drawing.ranks[v])
            return name("edge", e) + " does not lead to a higher rank";
        if (drawing.isStub(std::uint32_t(e))) {
            if (drawing.outStubs[u].width() <= 0 || drawing.inStubs[v].width() <= 0)
                return name("stub", e) + " has no room for its label";
            continue;
        }
        const auto &route = drawing.routes[e];
        const Rect &from = drawing.nodes[u], &to = drawing.nodes[v];
        if (std::abs(route.front().y - from.bottom) > 0.01 ||
            std::abs(route.front().x - from.centre().x) > from.width() / 2)
            return name("edge", e) + " does not start below its source";
        if (std::abs(route.back().y - to.top) > 0.01 ||
            std::abs(route.back().x - to.centre().x) > to.width() / 2)
            return name("edge", e) + " does not end above its target";
        for (std::size_t i = 1; i < route.size(); ++i) {
            if (!all.contains(
                    {std::min(route[i - 1].x, route[i].x), std::min(route[i - 1].y, route[i].y),
                     std::max(route[i - 1].x, route[i].x), std::max(route[i - 1].y, route[i].y)}))
                return name("edge", e) + " is out of bounds";
            if (oneColumn && route[i].y < route[i - 1].y - 0.01)
                return name("edge", e) + " runs upwards";
            for (std::size_t w = 0; w < leaves.size(); ++w)
                if (crosses(route[i - 1], route[i], drawing.nodes[w].grown(-0.5)))
                    return name("edge", e) + " runs through " + name("node", w);
        }
    }
    return {};
}

layout::Input layoutInputOf(const Graph &graph)
{
    layout::Input input;
    std::map<NodeId, std::uint32_t> number;
    for (const NodeId id : graph.order()) {
        number.emplace(id, std::uint32_t(input.nodes.size()));
        input.nodes.push_back({120, 40, none});
    }
    for (const NodeId id : graph.order())
        for (const NodeId next : graph.successors(id))
            input.edges.push_back({number.at(id), number.at(next)});
    return input;
}

layout::Input randomNestedInput(std::uint32_t nodes, double edgesPerNode, std::uint32_t depth,
                                std::uint64_t seed)
{
    layout::Input input = randomLayoutInput(nodes, edgesPerNode, 0, seed);
    std::mt19937_64 random(seed + 1);
    // Nests stretches of a topological order in longer ones; a node may stay beside the inner ones.
    const auto nest = [&](auto &self, std::uint32_t first, std::uint32_t end, std::uint32_t around,
                          std::uint32_t levels) -> void {
        while (levels > 0 && first < end) {
            const std::uint32_t length =
                std::min<std::uint32_t>(end - first, 1 + std::uint32_t(random() % 14));
            if (random() % 3 != 0) {
                const std::uint32_t group = input.groups++;
                input.parents.push_back(around);
                input.titleWidths.push_back(50.0 + double(random() % 150));
                for (std::uint32_t v = first; v < first + length; ++v)
                    input.nodes[v].group = group;
                self(self, first, first + length, group, levels - 1);
            }
            first += length;
        }
    };
    nest(nest, 0, nodes, none, depth);
    return input;
}

layout::Input randomLayoutInput(std::uint32_t nodes, double edgesPerNode, std::uint32_t groups,
                                std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t bound) { return std::uint32_t(random() % bound); };
    layout::Input input;
    input.groups = groups;
    for (std::uint32_t g = 0; g < groups; ++g)
        input.titleWidths.push_back(60.0 * (1 + g % 5));
    for (std::uint32_t v = 0; v < nodes; ++v) {
        layout::Node node{40.0 + below(120), 20.0 + below(40), none};
        // Every other stretch is a group, since stretches of a topological order are convex.
        if (groups > 0) {
            const std::uint32_t stretch = std::uint32_t(std::uint64_t(v) * (2 * groups) / nodes);
            if (stretch % 2 == 0)
                node.group = stretch / 2;
        }
        input.nodes.push_back(node);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (double n = 0; n < edgesPerNode * nodes && nodes > 1; ++n) {
        const std::uint32_t target = 1 + below(nodes - 1);
        const std::uint32_t reach = below(10) == 0 ? target : std::min<std::uint32_t>(target, 6);
        edges.emplace(target - 1 - below(reach), target);
    }
    for (const auto &[source, target] : edges)
        input.edges.push_back({source, target});
    return input;
}

} // namespace graphloom::test
