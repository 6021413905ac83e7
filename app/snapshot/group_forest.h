// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/graph_facts.h"

#include <QString>

#include <unordered_map>
#include <vector>

namespace graphloom {

/// What views show of a subgraph, a fusion block or another group of nodes.
struct GroupFacts {
    std::size_t nodes = 0;
    double weight = 0; // of a block: its FLOPs
    Dim macs;
    QString operators; // operatorSummary()
};
GroupFacts groupFactsOf(const Graph &graph, const GraphFacts &facts,
                        const std::vector<NodeId> &nodes);

/// Groups of nodes in groups, such as the modules of a model, cut so that they can be drawn: taken
/// for one node each, whichever of them, they leave the graph acyclic. A group that would close a
/// cycle is cut into several pieces, in the order of the graph.
struct GroupForest {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Group {
        QString title;               // "layer1.0", "encoder/layer.3"
        QString name;                // the whole path, and the piece: no other group has it
        std::uint32_t parent = none; // which comes before it
        std::uint32_t depth = 0;     // 0 without a parent
        std::uint32_t key = 0;       // of GroupTree
        std::uint32_t piece = 1, pieces = 1;
        std::vector<NodeId> nodes; // all that are in it, in the order of the graph: two at least
        std::vector<std::uint32_t> children;
        GroupFacts facts;
    };
    std::vector<Group> groups;
    std::vector<std::uint32_t> groupOf; // by node id: the innermost one, or none
    std::uint32_t depth = 0;            // levels of groups

    /// None when there is no such group.
    std::uint32_t find(const QString &name) const;
    /// "layer1.0 (2 of 3)".
    QString titleOf(std::uint32_t group) const;

    std::unordered_map<QString, std::uint32_t> byName;
};

/// How nodes belong together, before any cutting.
struct GroupTree {
    struct Key {
        QString title;
        std::uint32_t parent = GroupForest::none; // which comes before it
    };
    std::vector<Key> keys;
    std::vector<std::uint32_t> keyOf; // by node id; none
    bool joined = true; // a group in which all is in one other group is that one: "encoder/layer.3"
};

/// Groups of one node are left out. Null when no group is left.
std::shared_ptr<const GroupForest> forestOf(const Graph &graph, const GraphFacts &facts,
                                            const GroupTree &tree);

} // namespace graphloom
