// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/fusion/blocks/plan_builder.h"

#include <functional>

namespace graphloom {

/// Explores fusion plans like DNNFusion (section 4.3.2, Listing 1), starting from blocks that may
/// hold several nodes already: marked blocks stay as they are, but neighbours may absorb them
/// unless they are locked. Seeds are the One-to-One operators, the one with the smallest
/// intermediate result first; from each the block grows along predecessors, then along successors.
/// Beyond the paper, seeds of the other mapping types follow, simplest first, so that chains
/// without a One-to-One operator fuse as well. `nodes` may be seeds; in a graph that is cut into
/// subgraphs (BlockRules) blocks do not leave the subgraph of their seed. If stopped, leaves the
/// blocks that it has formed.
void growBlocks(const BlockMerger &merger, BlockGraph &blocks, const BlockMarks &marks,
                std::span<const NodeId> nodes, Steps &steps,
                const std::function<void(double)> &progress);

} // namespace graphloom
