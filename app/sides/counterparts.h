// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/canvas_overlay.h"
#include "engine/compare/plan_comparison.h"

#include <span>

namespace graphloom {

/// Names one of two plans: the other one, and the one that the window works on.
enum class Side { Before, Now };
inline constexpr Side bothSides[] = {Side::Before, Side::Now};
constexpr Side otherSide(Side side)
{
    return side == Side::Before ? Side::Now : Side::Before;
}

/// Returns the module or region of another plan that has the name of that of a plan, or an empty
/// item.
Item sameGroupIn(const Snapshot &there, const Snapshot &here, const Item &group);

/// Tells which items of two plans stand for each other, and what differs. Made on a worker,
/// immutable afterwards.
struct Counterparts {
    SnapshotPointer before, now;
    PlanComparison comparison;
    /// By node id of one plan: the nodes of the other one that do its work, in schedule order.
    std::vector<std::vector<NodeId>> inNow, inBefore;

    const Snapshot &snapshot(Side side) const { return side == Side::Before ? *before : *now; }
    /// Returns what an item of one side is on the other side; empty if nothing there does its work.
    /// Modules and regions correspond by their names, and otherwise, like blocks and subgraphs, to
    /// all nodes that do the work of their own nodes.
    std::vector<Item> of(Side side, const Item &item) const;
    /// Returns the counterparts of several items, each once, those of the last item at the end.
    std::vector<Item> of(Side side, std::span<const Item> items) const;
    /// Returns the group of the other side that has the same name, or an empty item.
    Item sameGroup(Side side, const Item &group) const;
    /// Returns the differences as marks of a drawing of the side: removed and changed nodes before,
    /// added and changed ones now. A collapsed group is removed or added if all of its nodes are,
    /// and changed if some of them differ.
    std::vector<Marks> marksOf(Side side, const Drawing &drawing) const;
    /// Returns a figure of one side by its key ("peak_bytes"), or nothing.
    std::optional<PlanMetric::Side> figure(Side side, std::string_view key) const;
};
using CounterpartsPointer = std::shared_ptr<const Counterparts>;

/// Matches the main graphs of two snapshots. Returns null if stopped.
CounterpartsPointer counterpartsOf(const SnapshotPointer &before, const SnapshotPointer &now,
                                   const PlanComparing &options);

} // namespace graphloom
