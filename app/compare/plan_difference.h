// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/drawing.h"
#include "app/timeline/memory_timeline.h"
#include "engine/compare/plan_comparison.h"

#include <functional>

namespace graphloom {

/// Holds two plans side by side as views show them: one drawing of both graphs, in which each
/// difference has its sign in front of the operator. Made on a worker thread, immutable afterwards.
struct PlanDifference {
    std::shared_ptr<const Plan> before, now;
    QString nameBefore, nameNow;
    std::optional<MeasuredLatency> measuredBefore;
    SnapshotPointer earlier; // the earlier plan as views see it
    PlanComparison comparison;
    UnionGraph united;
    OriginMap origins;        // origins of the present plan's nodes
    DrawingPointer all;       // both graphs
    DrawingPointer differing; // the differences and their surroundings; null: none
    TimelinePointer timeline; // memory of the earlier plan; may be null

    const GraphComparison &graphs() const { return comparison.graphs; }
    /// Returns the node of the drawing that stands for a difference.
    Item itemOf(const NodeDifference &difference) const { return Item::of(united.of(difference)); }
    /// Returns the difference that a node of the drawing stands for.
    const NodeDifference &differenceOf(const Item &item) const
    {
        return graphs().nodes[united.differences[item.index]];
    }
    /// Returns the nodes with one kind of difference, as items of the drawing.
    std::vector<Item> itemsOf(Difference kind) const;
    /// Returns, as items of the drawing, the nodes of the earlier plan whose work a node does now;
    /// successorsOf() is the reverse.
    std::vector<Item> originalsOf(const Item &item) const;
    std::vector<Item> successorsOf(const Item &item) const;
};
using PlanDifferencePointer = std::shared_ptr<const PlanDifference>;

/// Holds one of the two plans of a comparison.
struct ComparedPlan {
    std::shared_ptr<const Plan> plan;
    QString name;
    std::optional<MeasuredLatency> measured = {};
};

/// Compares two plans. Returns null if stopped. Fails (Fault) only if both graphs cannot be united.
Result<PlanDifferencePointer>
differenceOf(const ComparedPlan &before, const ComparedPlan &now, std::stop_token stop,
             const std::function<void(double, std::string_view)> &progress);

} // namespace graphloom
