// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/drawing.h"
#include "app/timeline/memory_timeline.h"
#include "engine/compare/plan_comparison.h"

#include <functional>

namespace graphloom {

/// Two plans side by side as views show them: one drawing of both graphs, in which what differs has
/// its sign before the operator. Immutable once made, on a worker.
struct PlanDifference {
    std::shared_ptr<const Plan> before, now;
    QString nameBefore, nameNow;
    PlanComparison comparison;
    UnionGraph united;
    OriginMap origins;        // of the present plan
    DrawingPointer all;       // both graphs
    DrawingPointer differing; // what differs, with what is beside it; null: nothing does
    TimelinePointer timeline; // memory of the earlier plan; may be null

    const GraphComparison &graphs() const { return comparison.graphs; }
    /// The node of the drawing.
    Item itemOf(const NodeDifference &difference) const { return Item::of(united.of(difference)); }
    /// What a node of the drawing is.
    const NodeDifference &differenceOf(const Item &item) const
    {
        return graphs().nodes[united.differences[item.index]];
    }
    /// The nodes of one kind, as items of the drawing.
    std::vector<Item> itemsOf(Difference kind) const;
    /// In the drawing: the nodes before whose work a node does now, and the other way round.
    std::vector<Item> originalsOf(const Item &item) const;
    std::vector<Item> successorsOf(const Item &item) const;
};
using PlanDifferencePointer = std::shared_ptr<const PlanDifference>;

/// One of the two plans.
struct ComparedPlan {
    std::shared_ptr<const Plan> plan;
    QString name;
    std::optional<MeasuredLatency> measured = {};
};

/// Null when stopped. Fails (Fault) only where both graphs cannot be made one.
Result<PlanDifferencePointer>
differenceOf(const ComparedPlan &before, const ComparedPlan &now, std::stop_token stop,
             const std::function<void(double, std::string_view)> &progress);

} // namespace graphloom
