// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fusion/plan_edits.h"

namespace graphloom {

/// What is selected, as edits of groups see it.
struct EditedGroups {
    std::vector<std::uint32_t> groups; // selected, or those of selected nodes; ascending
    std::vector<NodeId> nodes;         // selected ones
    bool nodesOnly = true;             // nothing else is
    bool oneItem = false;
};
EditedGroups editedGroups(const Snapshot &snapshot, Grouping grouping,
                          const std::vector<Item> &items);

/// How groups of one kind are edited.
struct GroupEditor {
    std::function<EditOutcome(const std::vector<std::uint32_t> &)> merge;
    std::function<EditOutcome(const std::vector<NodeId> &)> split;
    std::function<EditOutcome(NodeId, std::uint32_t)> move;
    std::function<EditOutcome(const std::vector<std::uint32_t> &, bool locked)> lock;
    std::function<bool(std::uint32_t)> isLocked;
};
/// Of blocks; `facts` must outlive the outcomes' looks, and are kept by what they give.
GroupEditor blockEditor(const Snapshot &snapshot, FusionFactsPointer facts);
/// Of subgraphs. Blocks that lie in them must still do so.
GroupEditor subgraphEditor(const Snapshot &snapshot);

GroupEdits groupEditsFor(const Snapshot &snapshot, Grouping grouping, const EditedGroups &selected,
                         const GroupEditor &editor, const std::stop_token &stop);

/// The plan with other blocks, and what follows from them.
Plan withBlocks(Plan plan, const FusionFacts &facts, std::shared_ptr<const FusionPlan> blocks);
/// The plan with another partition; blocks that lay in subgraphs lie in those.
Plan withPartition(Plan plan, std::shared_ptr<const Partition> partition);

} // namespace graphloom
