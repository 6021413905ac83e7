// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/item.h"
#include "app/models/snapshot.h"

#include <set>
#include <unordered_map>

namespace graphloom {

/// What of the plan is drawn, and how.
struct ViewOptions {
    Grouping grouping = Grouping::Blocks; // what boxes are drawn around, where the plan has it
    bool columns = true;                  // long graphs broken into columns
    double aspect = 1.6;                  // width divided by height that the columns are made for
    std::set<Item> collapsed;             // subgraphs and blocks drawn as one node
    std::set<NodeId> only; // the nodes to draw, with the inputs and outputs at them; empty: all

    bool operator==(const ViewOptions &) const = default;
};

/// What boxes are drawn around: what is wanted, or the other one where the plan lacks that.
Grouping drawnGrouping(const Snapshot &snapshot, Grouping wanted);

/// The nodes and edges that are drawn: graph inputs and what a nested graph captures, operators,
/// graph outputs; constants are part of the operators that read them. A collapsed group is one
/// node; a block of one operator that is not locked needs no box; edges between the same two nodes
/// are one edge.
struct VisibleGraph {
    struct Node {
        Item item;
        QString title, subtitle;
        OperatorClass operatorClass = OperatorClass::Opaque;
        std::uint32_t group = Partition::none; // index into `groups` of an expanded one
        bool nests = false;                    // holds graphs that can be opened
    };
    struct Edge {
        std::uint32_t source = 0, target = 0; // nodes
        TensorId tensor;                      // the first of `count`
        std::uint32_t count = 1;
    };
    struct Group {
        Item item;
        QString title, subtitle;
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Group> groups;
    Grouping grouping = Grouping::None;

    static constexpr std::uint32_t none = Partition::none;
    /// Where an item is drawn: its node, or the collapsed group around it; none when it is
    /// a group or not drawn.
    std::uint32_t nodeOf(const Item &item) const;
    /// The box of an expanded subgraph or block.
    std::uint32_t groupOf(const Item &item) const;

    std::map<Item, std::uint32_t> places;      // of what is drawn as a node
    std::vector<std::uint32_t> collapsedInto;  // by node id, none or a visible node
    std::map<Item, std::uint32_t> groupPlaces; // by subgraph or block
};

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options);

/// The subgraphs and blocks that are collapsed when a plan is first shown: those of several nodes
/// when more nodes than `most` would be drawn.
std::set<Item> initiallyCollapsed(const Snapshot &snapshot, std::size_t most = 1000);
/// All of them.
std::set<Item> allGroups(const Snapshot &snapshot, std::size_t leastNodes = 1);

} // namespace graphloom
