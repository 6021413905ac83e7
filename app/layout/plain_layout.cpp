// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/plain_layout.h"

#include "app/layout/ranking.h"

#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace graphloom::layout {

namespace {

} // namespace

Result<Layout> readPlain(std::string_view text, const Input &input, const Options &options)
{
    const auto broken = [](const std::string &line) {
        return fail(Error::Kind::Fault,
                    "Graphviz answered what cannot be read: " + line.substr(0, 80));
    };
    Layout result;
    result.nodes.resize(input.nodes.size());
    result.outStubs.resize(input.nodes.size());
    result.inStubs.resize(input.nodes.size());
    result.routes.resize(input.edges.size());
    result.ranks = rankNodes(input.nodes.size(), withoutCycles(input.nodes.size(), input.edges));
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
    for (std::uint32_t e = 0; e < input.edges.size(); ++e)
        edges[{input.edges[e].source, input.edges[e].target}].push_back(e);

    double height = 0;
    std::vector<bool> placed(input.nodes.size(), false);
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "graph") {
            double scale = 0, width = 0;
            if (!(words >> scale >> width >> height))
                return broken(line);
            height *= pixelsPerInch;
            result.bounds = {0, 0, width * pixelsPerInch, height};
        } else if (kind == "node") {
            std::uint32_t v = 0;
            double x = 0, y = 0;
            if (!(words >> v >> x >> y) || v >= input.nodes.size())
                return broken(line);
            const double halfWidth = input.nodes[v].width / 2,
                         halfHeight = input.nodes[v].height / 2;
            x *= pixelsPerInch;
            y = height - y * pixelsPerInch; // Graphviz' y grows upwards
            result.nodes[v] = {x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight};
            placed[v] = true;
        } else if (kind == "edge") {
            std::uint32_t source = 0, target = 0;
            int points = 0;
            if (!(words >> source >> target >> points) || points < 4)
                return broken(line);
            Route route;
            for (int i = 0; i < points; ++i) {
                Point p;
                if (!(words >> p.x >> p.y))
                    return broken(line);
                // Every third point lies on the curve; drawn anew between them, it is close.
                if (i % 3 == 0)
                    route.push_back({p.x * pixelsPerInch, height - p.y * pixelsPerInch});
            }
            for (const std::uint32_t e : edges[{source, target}])
                result.routes[e] = route;
        }
    }
    for (std::size_t v = 0; v < placed.size(); ++v)
        if (!placed[v])
            return fail(Error::Kind::Fault, "Graphviz did not place node " + std::to_string(v));
    result.groups.resize(input.groups);
    std::vector<bool> started(input.groups, false);
    const auto include = [&](std::uint32_t group, const Rect &rect) {
        Rect room = rect.grown(options.groupPadding);
        room.top -= options.groupTitle;
        if (started[group])
            result.groups[group].include(room);
        else
            result.groups[group] = room;
        started[group] = true;
    };
    for (std::size_t v = 0; v < input.nodes.size(); ++v) {
        result.bounds.include(result.nodes[v]);
        if (input.nodes[v].group != none)
            include(input.nodes[v].group, result.nodes[v]);
    }
    for (std::uint32_t g = input.groups; g-- > 0;) // inner ones first
        if (const std::uint32_t parent = input.parents.empty() ? none : input.parents[g];
            parent != none && started[g])
            include(parent, result.groups[g]);
    for (const Rect &group : result.groups)
        result.bounds.include(group);
    // An edge that Graphviz left out is drawn straight.
    for (std::uint32_t e = 0; e < input.edges.size(); ++e) {
        const auto [u, v] = input.edges[e];
        if (result.routes[e].empty())
            result.routes[e] = {{result.nodes[u].centre().x, result.nodes[u].bottom},
                                {result.nodes[v].centre().x, result.nodes[v].top}};
        for (const Point p : result.routes[e])
            result.bounds.include(p);
    }
    return result;
}

} // namespace graphloom::layout
