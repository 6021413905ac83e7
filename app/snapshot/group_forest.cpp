// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/group_forest.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint32_t none = GroupForest::none;

/// Divides the nodes of one group into pieces, in the order of the graph. The graph of pieces is
/// acyclic: a node joins a piece only if none of its inputs from outside depends on the piece.
class PieceMaker {
public:
    PieceMaker(const Graph &graph, std::vector<std::uint32_t> &pieceOf)
        : m_graph(graph), m_pieceOf(pieceOf)
    {
    }

    /// Adds a node of `part`, or one that stands alone (none).
    void add(NodeId id, std::uint32_t part)
    {
        m_readers.clear();
        const auto position = m_graph.position(id);
        std::vector<std::uint32_t> &read = m_readers;
        forEachRead(m_graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = m_graph.producer(tensor);
            if (producer.valid() && m_pieceOf[producer.index] != none)
                read.push_back(m_pieceOf[producer.index]);
        });
        std::sort(read.begin(), read.end());
        read.erase(std::unique(read.begin(), read.end()), read.end());
        std::uint32_t piece = none;
        if (part != none) {
            std::vector<std::uint32_t> &known = m_piecesOf[part];
            for (auto it = known.rbegin(); it != known.rend() && piece == none; ++it)
                if (!dependsOn(*it))
                    piece = *it;
        }
        if (piece == none) {
            piece = std::uint32_t(pieces.size());
            pieces.push_back({part, {}});
            m_above.emplace_back();
            m_last.push_back(position);
            m_seen.push_back(0);
            m_first.push_back(position);
            if (part != none)
                m_piecesOf[part].push_back(piece);
        }
        pieces[piece].nodes.push_back(id);
        m_last[piece] = position;
        m_pieceOf[id.index] = piece;
        std::vector<std::uint32_t> &above = m_above[piece];
        for (const std::uint32_t other : read)
            if (other != piece && std::find(above.begin(), above.end(), other) == above.end())
                above.push_back(other);
    }

    struct Piece {
        std::uint32_t part; // none: a node alone
        std::vector<NodeId> nodes;
    };
    std::vector<Piece> pieces;

private:
    /// Returns whether an input of the node from outside the piece depends on the piece.
    bool dependsOn(std::uint32_t piece)
    {
        ++m_round;
        m_stack.assign(m_readers.begin(), m_readers.end());
        while (!m_stack.empty()) {
            const std::uint32_t other = m_stack.back();
            m_stack.pop_back();
            // Nothing that ended before the piece began depends on it.
            if (other == piece || m_seen[other] == m_round || m_last[other] < m_first[piece])
                continue;
            m_seen[other] = m_round;
            for (const std::uint32_t above : m_above[other]) {
                if (above == piece)
                    return true;
                m_stack.push_back(above);
            }
        }
        return false;
    }

    const Graph &m_graph;
    std::vector<std::uint32_t> &m_pieceOf;           // by node id; none if not added yet
    std::vector<std::vector<std::uint32_t>> m_above; // by piece: the pieces that it reads
    std::vector<std::size_t> m_first, m_last;        // positions of the piece's ends
    std::vector<std::uint32_t> m_seen, m_stack, m_readers;
    std::uint32_t m_round = 0;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_piecesOf; // by part
};

class ForestMaker {
public:
    ForestMaker(const Graph &graph, const GroupTree &tree)
        : m_graph(graph), m_tree(tree), m_pieceOf(graph.nodeBound(), none),
          m_depth(tree.keys.size(), 0)
    {
        for (std::uint32_t key = 0; key < tree.keys.size(); ++key)
            if (tree.keys[key].parent != none)
                m_depth[key] = m_depth[tree.keys[key].parent] + 1;
        m_forest.groupOf.assign(graph.nodeBound(), none);
    }

    GroupForest make(const GraphFacts &facts)
    {
        const auto order = m_graph.order();
        cut({order.begin(), order.end()}, none, none, {});
        number();
        for (GroupForest::Group &group : m_forest.groups)
            group.facts = groupFactsOf(m_graph, facts, group.nodes);
        return std::move(m_forest);
    }

private:
    /// Returns the key below `around` on the path to the key of a node; none if there is none.
    std::uint32_t partOf(NodeId id, std::uint32_t around) const
    {
        std::uint32_t key = m_tree.keyOf[id.index];
        const std::uint32_t depth = around == none ? 0 : m_depth[around] + 1;
        if (key == none || key == around)
            return none;
        while (m_depth[key] > depth)
            key = m_tree.keys[key].parent;
        return key;
    }

    /// Divides the nodes of a group (none: the whole graph), whose key is `around`.
    void cut(const std::vector<NodeId> &nodes, std::uint32_t around, std::uint32_t parent,
             const QString &prefix)
    {
        for (;;) { // descend while all nodes are in one part
            const std::uint32_t part = partOf(nodes.front(), around);
            if (!m_tree.joined || parent == none || part == none ||
                !std::ranges::all_of(nodes, [&](NodeId id) { return partOf(id, around) == part; }))
                break;
            GroupForest::Group &group = m_forest.groups[parent];
            const QString title = m_tree.keys[part].title;
            // Merge the titles "layer1" and "layer1.0" into "layer1.0".
            const QString last = group.title.section('/', -1);
            group.title = title.startsWith(last + '.') ? group.title.chopped(last.size()) + title
                                                       : group.title + '/' + title;
            group.name += '/' + title;
            group.key = part;
            around = part;
        }
        std::vector<PieceMaker::Piece> pieces;
        {
            PieceMaker maker(m_graph, m_pieceOf);
            for (const NodeId id : nodes)
                maker.add(id, partOf(id, around));
            pieces = std::move(maker.pieces);
        }
        for (const NodeId id : nodes)
            m_pieceOf[id.index] = none;
        const QString path = parent == none ? prefix : m_forest.groups[parent].name;
        for (PieceMaker::Piece &piece : pieces) {
            if (piece.part == none || piece.nodes.size() < 2) {
                for (const NodeId id : piece.nodes)
                    m_forest.groupOf[id.index] = parent;
                continue;
            }
            const auto index = std::uint32_t(m_forest.groups.size());
            GroupForest::Group group;
            group.title = m_tree.keys[piece.part].title;
            group.name = path.isEmpty() ? group.title : path + '/' + group.title;
            group.parent = parent;
            group.depth = parent == none ? 0 : m_forest.groups[parent].depth + 1;
            group.key = piece.part;
            group.nodes = piece.nodes;
            m_forest.depth = std::max(m_forest.depth, group.depth + 1);
            m_forest.groups.push_back(std::move(group));
            if (parent != none)
                m_forest.groups[parent].children.push_back(index);
            cut(piece.nodes, piece.part, index, {});
        }
    }

    /// Counts the pieces of each group and gives them unique names.
    void number()
    {
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> pieces; // by key
        for (std::uint32_t g = 0; g < m_forest.groups.size(); ++g)
            pieces[m_forest.groups[g].key].push_back(g);
        for (auto &[key, groups] : pieces) {
            std::ranges::sort(groups, {}, [&](std::uint32_t g) {
                return m_graph.position(m_forest.groups[g].nodes.front());
            });
            for (std::size_t i = 0; i < groups.size(); ++i) {
                GroupForest::Group &group = m_forest.groups[groups[i]];
                group.piece = std::uint32_t(i + 1);
                group.pieces = std::uint32_t(groups.size());
            }
        }
        for (std::uint32_t g = 0; g < m_forest.groups.size(); ++g) {
            GroupForest::Group &group = m_forest.groups[g];
            if (group.pieces > 1)
                group.name += QStringLiteral("#%1").arg(group.piece);
            if (m_forest.byName.contains(group.name)) // regions may have equal names
                group.name += QStringLiteral("@%1").arg(group.key);
            m_forest.byName.emplace(group.name, g);
        }
    }

    const Graph &m_graph;
    const GroupTree &m_tree;
    std::vector<std::uint32_t> m_pieceOf; // by node id, within the current group
    std::vector<std::uint32_t> m_depth;   // by key
    GroupForest m_forest;
};

} // namespace

GroupFacts groupFactsOf(const Graph &graph, const GraphFacts &facts,
                        const std::vector<NodeId> &nodes)
{
    GroupFacts group;
    group.nodes = nodes.size();
    for (const NodeId id : nodes)
        group.macs += facts.of(id).macs;
    group.operators = operatorSummary(graph, nodes);
    return group;
}

std::uint32_t GroupForest::find(const QString &name) const
{
    const auto it = byName.find(name);
    return it == byName.end() ? none : it->second;
}

QString GroupForest::titleOf(std::uint32_t group) const
{
    const Group &of = groups[group];
    return of.pieces > 1
               ? QStringLiteral("%1 (%2 of %3)").arg(of.title).arg(of.piece).arg(of.pieces)
               : of.title;
}

std::shared_ptr<const GroupForest> forestOf(const Graph &graph, const GraphFacts &facts,
                                            const GroupTree &tree)
{
    if (tree.keys.empty() || graph.nodeCount() == 0)
        return nullptr;
    auto forest = std::make_shared<GroupForest>(ForestMaker(graph, tree).make(facts));
    return forest->groups.empty() ? nullptr : forest;
}

} // namespace graphloom
