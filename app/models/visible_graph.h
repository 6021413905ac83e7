// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"
#include "app/models/snapshot.h"

#include <set>
#include <unordered_map>

namespace graphloom {

/// What of the plan is drawn, and how.
struct ViewOptions {
    bool grouped = true;               // subgraphs of the partition as boxes
    bool columns = true;               // long graphs broken into columns
    double aspect = 1.6;               // width divided by height that the columns are made for
    std::set<std::uint32_t> collapsed; // subgraphs drawn as one node

    bool operator==(const ViewOptions &) const = default;
};

/// The nodes and edges that are drawn: graph inputs and what a nested graph captures, operators,
/// graph outputs; constants are part of the operators that read them. A collapsed subgraph is one
/// node; edges between the same two nodes are one edge.
struct VisibleGraph {
    struct Node {
        Item item;
        QString title, subtitle;
        OperatorClass operatorClass = OperatorClass::Opaque;
        std::uint32_t group = Partition::none; // index into `groups` of an expanded subgraph
        bool nests = false;                    // holds graphs that can be opened
    };
    struct Edge {
        std::uint32_t source = 0, target = 0; // nodes
        TensorId tensor;                      // the first of `count`
        std::uint32_t count = 1;
    };
    struct Group {
        std::uint32_t subgraph = 0;
        QString title, subtitle;
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Group> groups;

    static constexpr std::uint32_t none = Partition::none;
    /// Where an item is drawn: its node, or the collapsed subgraph around it; none when it is
    /// a group or not drawn.
    std::uint32_t nodeOf(const Item &item) const;
    /// The group of an expanded subgraph.
    std::uint32_t groupOf(std::uint32_t subgraph) const;

    std::map<Item, std::uint32_t> places;               // of what is drawn as a node
    std::vector<std::uint32_t> collapsedInto;           // by node id, none or a visible node
    std::map<std::uint32_t, std::uint32_t> groupPlaces; // by subgraph
};

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options);

/// The subgraphs that are collapsed when a plan is first shown: those of several nodes when more
/// nodes than `most` would be drawn.
std::set<std::uint32_t> initiallyCollapsed(const Plan &plan, std::size_t most = 1000);

} // namespace graphloom
