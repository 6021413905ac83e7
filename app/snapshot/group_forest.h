// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/graph_facts.h"

#include <QHashFunctions>
#include <QString>

#include <unordered_map>
#include <vector>

namespace graphloom {

/// Holds what views show of a subgraph, a fusion block or another group of nodes.
struct GroupFacts {
    std::size_t nodes = 0;
    double weight = 0; // weight of a subgraph; FLOPs of a block
    Dim macs;
    QString operators; // operatorSummary()
};
GroupFacts groupFactsOf(const Graph &graph, const GraphFacts &facts,
                        const std::vector<NodeId> &nodes);

/// Nested groups of nodes, such as the modules of a model, cut so that they can be drawn: the graph
/// stays acyclic when any of the groups are taken as one node each. A group that would close a
/// cycle is cut into several pieces, in topological order.
struct GroupForest {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Group {
        QString title;               // "layer1.0", "encoder/layer.3"
        QString name;                // unique name: the whole path, and the piece
        std::uint32_t parent = none; // has a lower index
        std::uint32_t depth = 0;     // 0 without a parent
        std::uint32_t key = 0;       // index into GroupTree::keys
        std::uint32_t piece = 1, pieces = 1;
        std::vector<NodeId> nodes; // all nodes inside, in topological order; two at least
        std::vector<std::uint32_t> children;
        GroupFacts facts;
    };
    std::vector<Group> groups;
    std::vector<std::uint32_t> groupOf; // by node id: innermost group, or none
    std::uint32_t depth = 0;            // number of nested levels

    /// Returns the index of the group with a name, or `none` when there is no such group.
    std::uint32_t find(const QString &name) const;
    /// Returns the title of a group with its piece: "layer1.0 (2 of 3)".
    QString titleOf(std::uint32_t group) const;

    std::unordered_map<QString, std::uint32_t> byName;
};

/// The tree of groups before it is cut into pieces.
struct GroupTree {
    struct Key {
        QString title;
        std::uint32_t parent = GroupForest::none; // has a lower index
    };
    std::vector<Key> keys;
    std::vector<std::uint32_t> keyOf; // by node id; may be none
    bool joined = true;               // joins a group to its only child if nothing else is in it
};

/// Cuts a tree of groups into a forest that can be drawn. Groups of one node are left out. Returns
/// null when no group is left.
std::shared_ptr<const GroupForest> forestOf(const Graph &graph, const GraphFacts &facts,
                                            const GroupTree &tree);

} // namespace graphloom
