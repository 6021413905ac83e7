// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"
#include "app/snapshot/snapshot.h"

#include <set>
#include <unordered_map>

namespace graphloom {

/// A `Focus` restricts the drawing to some nodes: those within a number of steps up (against the
/// edges) and down (along them) from the items in `around`, or those on the paths between these
/// items. A collapsed group counts as one step.
struct Focus {
    static constexpr int mostSteps = 99;

    std::vector<Item> around; // empty: everything is drawn
    int up = 2, down = 2;
    bool between = false; // paths of any length between the items, instead of steps

    explicit operator bool() const { return !around.empty(); }
    bool operator==(const Focus &) const = default;
};

/// Options that tell which part of the graph is drawn, and how.
struct ViewOptions {
    Grouping grouping = Grouping::Blocks; // boxes that are drawn, if the plan has them
    bool columns = true;                  // whether long graphs are broken into columns
    double aspect = 1.6;                  // desired width divided by height, for columns
    std::set<Item> collapsed;             // groups drawn as one node
    std::set<NodeId> only; // nodes to draw, with their graph inputs and outputs; empty: all
    Focus focus;           // if set, draw() fills `only` with its nodes

    bool operator==(const ViewOptions &) const = default;
};

/// Returns the grouping that boxes are drawn for: `wanted` if the plan has it or it is None.
/// Otherwise blocks and subgraphs stand in for each other; failing that, large graphs get modules,
/// and others no boxes.
Grouping drawnGrouping(const Snapshot &snapshot, Grouping wanted);

/// A `VisibleGraph` holds the nodes, edges and boxes that are drawn. Its nodes are the operators,
/// graph inputs and outputs, and the tensors that a nested graph captures; constants belong to the
/// operators that read them. A collapsed group is one node, whatever it contains. A block of a
/// single operator has no box unless it is locked. All edges between the same two nodes are one
/// edge.
struct VisibleGraph {
    struct Node {
        Item item;
        QString title, subtitle;
        OperatorClass operatorClass = OperatorClass::Opaque;
        std::uint32_t group = Partition::none; // innermost expanded group: index into `groups`
        bool nests = false;                    // holds nested graphs, which can be opened
    };
    struct Edge {
        std::uint32_t source = 0, target = 0; // indices into `nodes`
        TensorId tensor;                      // the first of `count` tensors
        std::uint32_t count = 1;
    };
    struct Group {
        Item item;
        QString title, subtitle;
        std::uint32_t parent = Partition::none; // lower index into `groups`
        std::uint32_t depth = 0;                // 0: no parent
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Group> groups;
    Grouping grouping = Grouping::None;

    static constexpr std::uint32_t none = Partition::none;
    /// Returns the index of the node that an item is drawn as: its own node, or the collapsed group
    /// around it. Returns `none` for an expanded group and for an item that is not drawn.
    std::uint32_t nodeOf(const Item &item) const;
    /// Returns the index of an expanded group, which is drawn as a box, or `none` for other items.
    std::uint32_t groupOf(const Item &item) const;
    /// Returns the group that contains an item in the drawing: the collapsed group that it is drawn
    /// as or in, else the innermost box around it. An item that is a box itself is returned
    /// unchanged. Returns an empty item when the item is in no group.
    Item groupAround(const Item &item) const;

    std::map<Item, std::uint32_t> places;      // node index of items drawn as or in a node
    std::vector<std::uint32_t> collapsedInto;  // by node id: node of its collapsed group, or none
    std::map<Item, std::uint32_t> groupPlaces; // index into `groups` of each expanded group
};

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options);

/// Returns the nodes that the focus of the options shows. `connected`, if given, is set to false
/// when the focus asks for the paths between items and there is none, else to true.
std::set<NodeId> nodesInFocus(const Snapshot &snapshot, const ViewOptions &options,
                              bool *connected = nullptr);

/// A graph is large when more nodes than this would be drawn.
inline constexpr std::size_t mostDrawn = 1000;

/// Returns the groups that are collapsed when a plan is first shown, which are none unless the
/// graph has more than `most` nodes. On such graphs all blocks and subgraphs of several nodes are
/// collapsed. Nested groups are expanded level by level, from the outermost, as long as at most
/// `most` nodes are drawn; groups whose nodes form many unconnected pieces stay collapsed.
std::set<Item> initiallyCollapsed(const Snapshot &snapshot, std::size_t most = mostDrawn);
/// Returns the groups of all groupings that have at least `leastNodes` nodes.
std::set<Item> allGroups(const Snapshot &snapshot, std::size_t leastNodes = 1);
/// Returns the groups of a grouping at a nesting depth of at least `depth`; 0 returns all of them.
std::set<Item> groupsBelow(const Snapshot &snapshot, Grouping grouping, std::uint32_t depth);
/// Returns the groups of a grouping, except the groups around an item and the item itself.
std::set<Item> groupsBeside(const Snapshot &snapshot, Grouping grouping, const Item &item);

} // namespace graphloom
