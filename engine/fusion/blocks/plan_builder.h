// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/fusion/blocks/block_merger.h"

#include <map>

namespace graphloom {

/// What is known of a block beside its nodes.
struct BlockMark {
    std::string pattern;
    bool locked = false;
};
using BlockMarks = std::map<BlockGraph::Block, BlockMark>;

/// Table 5's figures: `before` of every node of one graph by itself, `after` of the blocks.
FusionStatistics::Side layersOf(const Ecg &ecg);
FusionStatistics::Side layersOf(const Ecg &ecg, const Partition &blocks);

/// Pairs of blocks, the one that writes first, that may be one and that nothing would be gained by,
/// and why.
struct KeptReason {
    BlockBorder::Cause cause;
    std::string reason;
};
using KeptApart = std::map<std::pair<BlockGraph::Block, BlockGraph::Block>, KeptReason>;

/// The fusion plan of blocks that are legal: types, interfaces, what was decided, and why no block
/// is larger. `statistics.before` is left to the caller. `steps` may be null; stopped, borders say
/// that nobody has looked at them.
FusionPlan planOf(const BlockMerger &merger, const BlockGraph &graph, std::string method,
                  const BlockMarks &marks = {}, const KeptApart &apart = {},
                  Steps *steps = nullptr);

/// The locked blocks of a plan again, as far as the graph still has their nodes, whatever limits
/// hold now; every other node by itself. `marks` gets the locks.
BlockGraph lockedBlocksOf(const Graph &graph, const FusionPlan &plan, BlockMarks &marks);

} // namespace graphloom
