// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/snapshot.h"
#include "engine/base/result.h"
#include "engine/fusion/fusion_facts.h"

#include <stop_token>

namespace graphloom {

/// What may be done by hand with the fusion blocks of a selection: the plan as it would be, or why
/// it cannot be so.
struct BlockEdits {
    using Outcome = Result<std::shared_ptr<const FusionPlan>>;
    struct Move {
        Item block; // the node's new one
        Outcome outcome;
    };

    Outcome merge = fail(Error::Kind::Usage, "nobody has looked yet"), split = merge;
    /// May the node be moved at all? Where to is in `moves`.
    Result<void> move = tl::unexpected(merge.error());
    std::vector<Move> moves;           // neighbouring blocks, in their order
    std::vector<std::uint32_t> blocks; // that are selected, or have selected nodes
    bool locked = false;               // all of them
};

using FusionFactsPointer = std::shared_ptr<const FusionFacts>;
/// What edits ask of the model's own graph, which has fusion blocks: it holds until the graph
/// changes. Fails (Model) as FusionFacts does.
Result<FusionFactsPointer> fusionFactsOf(const Snapshot &snapshot);

/// For the selected items of the model's own graph. Takes milliseconds on large graphs. When
/// stopped the outcomes mean nothing.
BlockEdits blockEditsFor(const Snapshot &snapshot, const FusionFacts &facts,
                         const std::vector<Item> &items, std::stop_token stop);

/// The plan with other blocks, and what follows from them.
Plan withBlocks(Plan plan, const FusionFacts &facts, std::shared_ptr<const FusionPlan> blocks);
/// The plan with all these blocks locked, or none of them.
Plan withLocks(Plan plan, const FusionFacts &facts, const std::vector<std::uint32_t> &blocks,
               bool locked);

} // namespace graphloom
