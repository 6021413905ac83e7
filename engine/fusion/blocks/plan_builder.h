// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/fusion/blocks/block_merger.h"

#include <map>

namespace graphloom {

/// Holds what is known of a block besides its nodes.
struct BlockMark {
    std::string pattern;
    bool locked = false;
};
using BlockMarks = std::map<BlockGraph::Block, BlockMark>;

/// Returns the figures of Table 5: `before`, with every node of a graph by itself.
FusionStatistics::Side layersOf(const Ecg &ecg);
/// Returns the figures of Table 5: `after`, for the blocks.
FusionStatistics::Side layersOf(const Ecg &ecg, const Partition &blocks);

/// Tells why two blocks that may be merged are kept apart, since nothing would be gained.
struct KeptReason {
    BlockBorder::Cause cause;
    std::string reason;
};
/// Maps pairs of blocks that are kept apart to the reason; the block that writes comes first.
using KeptApart = std::map<std::pair<BlockGraph::Block, BlockGraph::Block>, KeptReason>;

/// Returns the fusion plan of legal blocks: types, interfaces, what was decided, and why no block
/// is larger. `statistics.before` is left to the caller. `steps` may be null; if stopped, borders
/// say that they have not been examined.
FusionPlan planOf(const BlockMerger &merger, const BlockGraph &graph, std::string method,
                  const BlockMarks &marks = {}, const KeptApart &apart = {},
                  Steps *steps = nullptr);

/// Sets the modelled costs of a plan to those on the device of `merger`.
void setCosts(const BlockMerger &merger, FusionPlan &plan);

/// Selects the blocks of a plan that another one begins with.
enum class KeptBlocks { Locked, All };
/// Restores blocks of a plan, as far as the graph still has their nodes, whatever limits apply now;
/// every other node is by itself. `marks` gets the locks.
BlockGraph keptBlocksOf(const Graph &graph, const FusionPlan &plan, KeptBlocks kept,
                        BlockMarks &marks);

} // namespace graphloom
