// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "engine/base/result.h"
#include "engine/fusion/blocks/fusion_facts.h"

#include <functional>
#include <stop_token>

namespace graphloom {

using PlanChange = std::function<Plan(Plan)>;
/// What an edit makes of the plan that it was looked at for, or why it cannot be; then
/// Error::nodes are the cause.
using EditOutcome = Result<PlanChange>;

/// What may be done by hand with the groups of a selection: fusion blocks, or subgraphs of the
/// partition.
struct GroupEdits {
    struct Move {
        Item group; // the node's new one
        EditOutcome outcome;
    };

    EditOutcome merge = fail(Error::Kind::Usage, "nobody has looked yet"), split = merge;
    /// May the node be moved at all? Where to is in `moves`.
    Result<void> move = tl::unexpected(merge.error());
    std::vector<Move> moves;           // neighbouring groups, in their order
    std::vector<std::uint32_t> groups; // that are selected, or have selected nodes
    bool locked = false;               // all of them
    EditOutcome lock = merge;          // or unlock, where all are locked
};

/// What may be done by hand with a selection. Every outcome is the whole plan as it would be, with
/// what follows from the edit, so that its costs are seen at once.
struct PlanEdits {
    Grouping grouping = Grouping::None; // of `groups`: blocks or subgraphs
    GroupEdits groups;
    /// The node, or its block, in the place of the step before or behind it.
    EditOutcome earlier = groups.merge, later = earlier;
    /// Layouts of the selected blocks, by Layout, and left to the choice again.
    std::array<EditOutcome, 2> layouts{earlier, earlier};
    EditOutcome freeLayout = earlier;
};

using FusionFactsPointer = std::shared_ptr<const FusionFacts>;
/// What edits of blocks ask of the model's own graph, which has fusion blocks: it holds until the
/// graph, or the partition that the blocks lie in, changes. Fails (Model) as FusionFacts does.
Result<FusionFactsPointer> fusionFactsOf(const Snapshot &snapshot);

/// For the selected items of the model's own graph; `grouping` says which groups nodes stand for.
/// `facts` are null where the plan has no blocks. Takes milliseconds on large graphs. When stopped
/// the outcomes mean nothing.
PlanEdits planEditsFor(const Snapshot &snapshot, const FusionFactsPointer &facts, Grouping grouping,
                       const std::vector<Item> &items, std::stop_token stop);

} // namespace graphloom
