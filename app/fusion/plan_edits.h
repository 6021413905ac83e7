// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/snapshot/snapshot.h"
#include "engine/base/result.h"
#include "engine/fusion/blocks/fusion_facts.h"

#include <functional>
#include <stop_token>

namespace graphloom {

using PlanChange = std::function<Plan(Plan)>;
/// Holds the change that an edit makes to the plan it was checked for, or the reason why the edit
/// is not possible; Error::nodes are then the cause.
using EditOutcome = Result<PlanChange>;

/// Holds the edits that are possible by hand for the groups of a selection: fusion blocks, or
/// subgraphs of the partition.
struct GroupEdits {
    struct Move {
        Item group; // the node's new group
        EditOutcome outcome;
    };

    EditOutcome merge = fail(Error::Kind::Usage, "not yet evaluated"), split = merge;
    /// Tells whether the node can be moved at all; `moves` holds the groups it can be moved to.
    Result<void> move = tl::unexpected(merge.error());
    std::vector<Move> moves;           // to neighbouring groups, in their order
    std::vector<std::uint32_t> groups; // selected groups, or those of selected nodes
    bool locked = false;               // whether all of them are locked
    EditOutcome lock = merge;          // locks, or unlocks if all are locked
};

/// Holds the edits that are possible by hand for a selection. Every outcome gives the whole plan
/// after the edit, with what follows from it, so that its costs are seen at once.
struct PlanEdits {
    Grouping grouping = Grouping::None; // the kind of `groups`: blocks or subgraphs
    GroupEdits groups;
    /// Edits that put the node, or its block, in the place of the step before or after it.
    EditOutcome earlier = groups.merge, later = earlier;
    /// Edits that set the layout of the selected blocks, by Layout; `freeLayout` leaves it to the
    /// automatic choice again.
    std::array<EditOutcome, 2> layouts{earlier, earlier};
    EditOutcome freeLayout = earlier;
};

using FusionFactsPointer = std::shared_ptr<const FusionFacts>;
/// Returns what edits of blocks need to know of the model's own graph, which must have fusion
/// blocks. It stays valid until the graph, or the partition that the blocks lie in, changes. Fails
/// (Model) as FusionFacts does.
Result<FusionFactsPointer> fusionFactsOf(const Snapshot &snapshot);

/// Returns the edits that are possible for the selected items of the model's own graph. `grouping`
/// tells which groups nodes stand for; `facts` is null if the plan has no blocks. Takes
/// milliseconds on large graphs. If stopped, the outcomes have no meaning.
PlanEdits planEditsFor(const Snapshot &snapshot, const FusionFactsPointer &facts, Grouping grouping,
                       const std::vector<Item> &items, std::stop_token stop);

} // namespace graphloom
