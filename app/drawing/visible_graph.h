// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"
#include "app/snapshot/snapshot.h"

#include <set>
#include <unordered_map>

namespace graphloom {

/// Which nodes to look at, the others being left out: those within so many steps of some, against
/// the edges and along them, or those on the ways between them. A collapsed group is one step.
struct Focus {
    static constexpr int mostSteps = 99;

    std::vector<Item> around; // empty: all is drawn
    int up = 2, down = 2;
    bool between = false; // the ways from one of them to another, however long

    explicit operator bool() const { return !around.empty(); }
    bool operator==(const Focus &) const = default;
};

/// What of the plan is drawn, and how.
struct ViewOptions {
    Grouping grouping = Grouping::Blocks; // what boxes are drawn around, where the plan has it
    bool columns = true;                  // long graphs broken into columns
    double aspect = 1.6;                  // width divided by height that the columns are made for
    std::set<Item> collapsed;             // groups drawn as one node
    std::set<NodeId> only; // the nodes to draw, with the inputs and outputs at them; empty: all
    Focus focus;           // what `only` is made of when something is drawn, if it is

    bool operator==(const ViewOptions &) const = default;
};

/// What boxes are drawn around: what is wanted; where the plan lacks that the other of blocks and
/// subgraphs, and on large graphs without either the modules.
Grouping drawnGrouping(const Snapshot &snapshot, Grouping wanted);

/// The nodes and edges that are drawn: graph inputs and what a nested graph captures, operators,
/// graph outputs; constants are part of the operators that read them. A collapsed group is one
/// node, whatever is in it; a block of one operator that is not locked needs no box; edges between
/// the same two nodes are one edge.
struct VisibleGraph {
    struct Node {
        Item item;
        QString title, subtitle;
        OperatorClass operatorClass = OperatorClass::Opaque;
        std::uint32_t group = Partition::none; // index into `groups` of the innermost expanded one
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
        std::uint32_t parent = Partition::none; // index into `groups`, which comes before it
        std::uint32_t depth = 0;                // 0 without a parent
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Group> groups;
    Grouping grouping = Grouping::None;

    static constexpr std::uint32_t none = Partition::none;
    /// Where an item is drawn: its node, or the collapsed group around it; none when it is
    /// a group or not drawn.
    std::uint32_t nodeOf(const Item &item) const;
    /// The box of an expanded group.
    std::uint32_t groupOf(const Item &item) const;
    /// The collapsed group that an item is drawn as or in, else the innermost box around it, else
    /// itself when it is a box; none for what is in no group.
    Item groupAround(const Item &item) const;

    std::map<Item, std::uint32_t> places;      // of what is drawn as a node, or in one
    std::vector<std::uint32_t> collapsedInto;  // by node id, none or a visible node
    std::map<Item, std::uint32_t> groupPlaces; // by group
};

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options);

/// The nodes that a focus shows. `connected` says of a focus on ways whether there are any.
std::set<NodeId> nodesInFocus(const Snapshot &snapshot, const ViewOptions &options,
                              bool *connected = nullptr);

/// A graph is large when more nodes than this would be drawn.
inline constexpr std::size_t mostDrawn = 1000;

/// The groups that are collapsed when a plan is first shown: on large graphs those of several
/// nodes; of nested groups those that are not opened, the outer ones first, as long as no more than
/// `most` nodes are drawn, and those that fall into many pieces.
std::set<Item> initiallyCollapsed(const Snapshot &snapshot, std::size_t most = mostDrawn);
/// All of them.
std::set<Item> allGroups(const Snapshot &snapshot, std::size_t leastNodes = 1);
/// Those of a grouping that are so many levels deep or deeper; 0: all.
std::set<Item> groupsBelow(const Snapshot &snapshot, Grouping grouping, std::uint32_t depth);
/// Those of a grouping without the groups around an item, and without the item itself.
std::set<Item> groupsBeside(const Snapshot &snapshot, Grouping grouping, const Item &item);

} // namespace graphloom
