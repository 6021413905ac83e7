// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/plain_layout.h"

#include "app/layout/ranking.h"

#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace graphloom::layout {

namespace {

/// Reads the lines of `dot -Tplain` and completes them to a layout.
class PlainReader {
public:
    PlainReader(const Input &input, const Options &options);

    Result<Layout> run(std::string_view text)
    {
        GL_TRY(readLines(text));
        frameGroups();
        completeRoutes();
        return std::move(m_result);
    }

private:
    Result<void> readLines(std::string_view text);
    /// Read the rest of a line after its first word; false if it is malformed.
    bool readGraph(std::istream &words);
    bool readNode(std::istream &words);
    bool readEdge(std::istream &words);
    /// Makes the group large enough for a node or an inner group.
    void include(std::uint32_t group, const Rect &rect);
    void frameGroups();
    void completeRoutes();

    const Input &m_input;
    const Options &m_options;
    Layout m_result;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> m_edges;
    double m_height = 0;
    std::vector<bool> m_placed;  // by node
    std::vector<bool> m_started; // by group, whether something is in it
};

PlainReader::PlainReader(const Input &input, const Options &options)
    : m_input(input), m_options(options), m_placed(input.nodes.size(), false),
      m_started(input.groups, false)
{
    m_result.nodes.resize(input.nodes.size());
    m_result.outStubs.resize(input.nodes.size());
    m_result.inStubs.resize(input.nodes.size());
    m_result.routes.resize(input.edges.size());
    m_result.groups.resize(input.groups);
    m_result.ranks = rankNodes(input.nodes.size(), withoutCycles(input.nodes.size(), input.edges));
    for (std::uint32_t e = 0; e < input.edges.size(); ++e)
        m_edges[{input.edges[e].source, input.edges[e].target}].push_back(e);
}

Result<void> PlainReader::readLines(std::string_view text)
{
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        const bool isRead = kind == "graph"  ? readGraph(words)
                            : kind == "node" ? readNode(words)
                            : kind == "edge" ? readEdge(words)
                                             : true;
        if (!isRead)
            return fail(Error::Kind::Fault,
                        "Graphviz answered what cannot be read: " + line.substr(0, 80));
    }
    for (std::size_t v = 0; v < m_placed.size(); ++v)
        if (!m_placed[v])
            return fail(Error::Kind::Fault, "Graphviz did not place node " + std::to_string(v));
    return {};
}

bool PlainReader::readGraph(std::istream &words)
{
    double scale = 0, width = 0;
    if (!(words >> scale >> width >> m_height))
        return false;
    m_height *= pixelsPerInch;
    m_result.bounds = {0, 0, width * pixelsPerInch, m_height};
    return true;
}

bool PlainReader::readNode(std::istream &words)
{
    std::uint32_t v = 0;
    double x = 0, y = 0;
    if (!(words >> v >> x >> y) || v >= m_input.nodes.size())
        return false;
    const double halfWidth = m_input.nodes[v].width / 2, halfHeight = m_input.nodes[v].height / 2;
    x *= pixelsPerInch;
    y = m_height - y * pixelsPerInch; // Graphviz's y grows upwards
    m_result.nodes[v] = {x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight};
    m_placed[v] = true;
    return true;
}

bool PlainReader::readEdge(std::istream &words)
{
    std::uint32_t source = 0, target = 0;
    int points = 0;
    if (!(words >> source >> target >> points) || points < 4)
        return false;
    Route route;
    for (int i = 0; i < points; ++i) {
        Point p;
        if (!(words >> p.x >> p.y))
            return false;
        // Every third point lies on the curve; a curve redrawn through them is close to it.
        if (i % 3 == 0)
            route.push_back({p.x * pixelsPerInch, m_height - p.y * pixelsPerInch});
    }
    for (const std::uint32_t e : m_edges[{source, target}])
        m_result.routes[e] = route;
    return true;
}

void PlainReader::include(std::uint32_t group, const Rect &rect)
{
    Rect room = rect.grown(m_options.groupPadding);
    room.top -= m_options.groupTitle;
    if (m_started[group])
        m_result.groups[group].include(room);
    else
        m_result.groups[group] = room;
    m_started[group] = true;
}

void PlainReader::frameGroups()
{
    for (std::size_t v = 0; v < m_input.nodes.size(); ++v) {
        m_result.bounds.include(m_result.nodes[v]);
        if (m_input.nodes[v].group != none)
            include(m_input.nodes[v].group, m_result.nodes[v]);
    }
    for (std::uint32_t g = m_input.groups; g-- > 0;) // inner ones first
        if (const std::uint32_t parent = m_input.parents.empty() ? none : m_input.parents[g];
            parent != none && m_started[g])
            include(parent, m_result.groups[g]);
    for (const Rect &group : m_result.groups)
        m_result.bounds.include(group);
}

void PlainReader::completeRoutes()
{
    // An edge that Graphviz left out is drawn straight.
    for (std::uint32_t e = 0; e < m_input.edges.size(); ++e) {
        const auto [u, v] = m_input.edges[e];
        if (m_result.routes[e].empty())
            m_result.routes[e] = {{m_result.nodes[u].centre().x, m_result.nodes[u].bottom},
                                  {m_result.nodes[v].centre().x, m_result.nodes[v].top}};
        for (const Point p : m_result.routes[e])
            m_result.bounds.include(p);
    }
}

} // namespace

Result<Layout> readPlain(std::string_view text, const Input &input, const Options &options)
{
    return PlainReader(input, options).run(text);
}

} // namespace graphloom::layout
