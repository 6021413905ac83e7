// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/rows.h"

#include "app/layout/ranking.h"

#include <algorithm>

namespace graphloom::layout {

namespace {

/// What stands in a box: numbers of nodes, then, from Input::nodes.size() on, of groups.
struct Box {
    std::vector<std::uint32_t> items;
    std::vector<Edge> edges; // between items, by their places
};

class Rows {
public:
    explicit Rows(const Input &input)
        : m_input(input), m_nodes(std::uint32_t(input.nodes.size())),
          m_boxes(input.groups + std::size_t{1}), m_place(m_nodes + input.groups),
          m_depth(input.groups + std::size_t{1}, 0), m_height(m_nodes + input.groups, 1),
          m_row(m_nodes + input.groups, 0)
    {
        for (std::uint32_t g = 0; g < input.groups; ++g) // parents come first
            m_depth[g] = m_depth[parentOf(m_nodes + g)] + 1;
        for (std::uint32_t item = 0; item < m_place.size(); ++item) {
            std::vector<std::uint32_t> &around = m_boxes[parentOf(item)].items;
            m_place[item] = std::uint32_t(around.size());
            around.push_back(item);
        }
        for (const Edge &edge : input.edges)
            addEdge(edge.source, edge.target);
    }

    std::vector<std::uint32_t> find()
    {
        for (std::uint32_t box = 0; box < m_input.groups; ++box) // inner ones first
            arrange(m_input.groups - 1 - box);
        arrange(m_input.groups);
        for (std::uint32_t g = 0; g < m_input.groups; ++g)
            m_row[m_nodes + g] += startOf(m_nodes + g);
        for (std::uint32_t v = 0; v < m_nodes; ++v)
            m_row[v] += startOf(v);
        m_row.resize(m_nodes);
        return m_row;
    }

private:
    /// The box around an item; the number of groups is that around all.
    std::uint32_t parentOf(std::uint32_t item) const
    {
        const std::uint32_t group = item < m_nodes            ? m_input.nodes[item].group
                                    : m_input.parents.empty() ? none
                                                              : m_input.parents[item - m_nodes];
        return group == none ? m_input.groups : group;
    }
    std::uint32_t startOf(std::uint32_t item) const
    {
        const std::uint32_t parent = parentOf(item);
        return parent == m_input.groups ? 0 : m_row[m_nodes + parent];
    }

    /// To the innermost box around both.
    void addEdge(std::uint32_t source, std::uint32_t target)
    {
        while (parentOf(source) != parentOf(target))
            if (m_depth[parentOf(source)] >= m_depth[parentOf(target)])
                source = m_nodes + parentOf(source);
            else
                target = m_nodes + parentOf(target);
        if (source != target)
            m_boxes[parentOf(source)].edges.push_back({m_place[source], m_place[target]});
    }

    /// Rows within the box, from 0 on.
    void arrange(std::uint32_t number)
    {
        const Box &box = m_boxes[number];
        const auto ranks = rankNodes(box.items.size(), withoutCycles(box.items.size(), box.edges));
        std::vector<std::uint32_t> heights; // by rank
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            heights.resize(std::max<std::size_t>(heights.size(), ranks[i] + std::size_t{1}), 0);
            heights[ranks[i]] = std::max(heights[ranks[i]], m_height[box.items[i]]);
        }
        std::vector<std::uint32_t> starts{0};
        for (const std::uint32_t height : heights)
            starts.push_back(starts.back() + height);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            m_row[box.items[i]] = starts[ranks[i]];
        if (number < m_input.groups)
            m_height[m_nodes + number] = std::max(starts.back(), 1U);
    }

    const Input &m_input;
    const std::uint32_t m_nodes;
    std::vector<Box> m_boxes; // by group, then that around all
    std::vector<std::uint32_t> m_place, m_depth, m_height, m_row;
};

} // namespace

std::vector<std::uint32_t> rowsOf(const Input &input)
{
    return Rows(input).find();
}

} // namespace graphloom::layout
