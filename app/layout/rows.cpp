// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/rows.h"

#include "app/layout/ranking.h"
#include "engine/base/typed_index.h"

#include <algorithm>

namespace graphloom::layout {

namespace {

/// Counts the nodes of the input, then its groups.
using ItemIndex = TypedIndex<struct ItemTag>;
/// Counts the boxes: one for each group, then the one around everything.
using BoxIndex = TypedIndex<struct RowBoxTag>;

/// Describes the contents of a box.
struct Box {
    std::vector<ItemIndex> items;
    std::vector<Edge> edges; // between items, by place
};

class Rows {
public:
    explicit Rows(const Input &input)
        : m_input(input), m_nodes(input.nodes.size()), m_boxes(input.groups + std::size_t{1}),
          m_place(m_nodes + input.groups), m_depth(input.groups + std::size_t{1}, 0),
          m_height(m_nodes + input.groups, 1), m_row(m_nodes + input.groups, 0)
    {
        for (const BoxIndex g : groupBoxes()) // parents come first
            m_depth[g] = m_depth[parentOf(itemOf(g))] + 1;
        for (const ItemIndex item : m_place.indices()) {
            std::vector<ItemIndex> &around = m_boxes[parentOf(item)].items;
            m_place[item] = std::uint32_t(around.size());
            around.push_back(item);
        }
        for (const Edge &edge : input.edges)
            addEdge(ItemIndex(edge.source), ItemIndex(edge.target));
    }

    std::vector<std::uint32_t> find()
    {
        for (const BoxIndex box : groupBoxes().reversed()) // inner ones first
            arrange(box);
        arrange(root());
        for (const BoxIndex g : groupBoxes())
            m_row[itemOf(g)] += startOf(itemOf(g));
        for (const ItemIndex v : firstIndices<ItemIndex>(m_nodes))
            m_row[v] += startOf(v);
        m_row.resize(m_nodes);
        return m_row.elements();
    }

private:
    BoxIndex root() const { return m_boxes.lastIndex(); }
    IndexRange<BoxIndex> groupBoxes() const { return {BoxIndex(0), root()}; }
    /// Returns the item that a group's box is in its parent box.
    ItemIndex itemOf(BoxIndex box) const { return ItemIndex(m_nodes) + box.number(); }
    /// Returns the box around an item.
    BoxIndex parentOf(ItemIndex item) const
    {
        const auto number = std::size_t(item.number());
        const std::uint32_t group = number < m_nodes          ? m_input.nodes[number].group
                                    : m_input.parents.empty() ? none
                                                              : m_input.parents[number - m_nodes];
        return group == none ? root() : BoxIndex(group);
    }
    std::uint32_t startOf(ItemIndex item) const
    {
        const BoxIndex parent = parentOf(item);
        return parent == root() ? 0 : m_row[itemOf(parent)];
    }

    /// Adds the edge to the innermost box around both ends.
    void addEdge(ItemIndex source, ItemIndex target)
    {
        while (parentOf(source) != parentOf(target))
            if (m_depth[parentOf(source)] >= m_depth[parentOf(target)])
                source = itemOf(parentOf(source));
            else
                target = itemOf(parentOf(target));
        if (source != target)
            m_boxes[parentOf(source)].edges.push_back({m_place[source], m_place[target]});
    }

    /// Assigns the rows within the box, from 0.
    void arrange(BoxIndex index)
    {
        const Box &box = m_boxes[index];
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
        if (index != root())
            m_height[itemOf(index)] = std::max(starts.back(), 1U);
    }

    const Input &m_input;
    const std::size_t m_nodes;
    IndexedVector<BoxIndex, Box> m_boxes;
    IndexedVector<ItemIndex, std::uint32_t> m_place; // in its box
    IndexedVector<BoxIndex, std::uint32_t> m_depth;
    IndexedVector<ItemIndex, std::uint32_t> m_height, m_row;
};

} // namespace

std::vector<std::uint32_t> rowsOf(const Input &input)
{
    return Rows(input).find();
}

} // namespace graphloom::layout
