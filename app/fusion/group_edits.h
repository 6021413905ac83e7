// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fusion/plan_edits.h"

namespace graphloom {

/// Holds the selection as edits of groups see it.
struct EditedGroups {
    std::vector<std::uint32_t> groups; // selected groups, or those of selected nodes; ascending
    std::vector<NodeId> nodes;         // selected nodes
    bool nodesOnly = true;             // nothing but nodes is selected
    bool oneItem = false;
};
EditedGroups editedGroups(const Snapshot &snapshot, Grouping grouping,
                          const std::vector<Item> &items);

/// Holds the functions that edit groups of one kind.
struct GroupEditor {
    std::function<EditOutcome(const std::vector<std::uint32_t> &)> merge;
    std::function<EditOutcome(const std::vector<NodeId> &)> split;
    std::function<EditOutcome(NodeId, std::uint32_t)> move;
    std::function<EditOutcome(const std::vector<std::uint32_t> &, bool locked)> lock;
    std::function<bool(std::uint32_t)> isLocked;
};
/// Returns an editor of fusion blocks. The editor and its outcomes share ownership of `facts`.
GroupEditor blockEditor(const Snapshot &snapshot, FusionFactsPointer facts);
/// Returns an editor of subgraphs. Blocks that lie in subgraphs must still do so after an edit.
GroupEditor subgraphEditor(const Snapshot &snapshot);

GroupEdits groupEditsFor(const Snapshot &snapshot, Grouping grouping, const EditedGroups &selected,
                         const GroupEditor &editor, const std::stop_token &stop);

/// Returns the plan with other blocks, and with what follows from them.
Plan withBlocks(Plan plan, const FusionFacts &facts, std::shared_ptr<const FusionPlan> blocks);
/// Returns the plan with another partition. Blocks that lay in subgraphs lie in the new ones.
Plan withPartition(Plan plan, std::shared_ptr<const Partition> partition);

} // namespace graphloom
