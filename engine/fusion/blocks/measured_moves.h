// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_merger.h"

namespace graphloom {

/// Returns the blocks that a search has found, except where measured times of the blocks before it
/// are less than those of the blocks that replace them; where one of both was not measured, the
/// search is right. `before` and `found` have the same graph. Blocks of other names have the same
/// names as in `found`.
BlockGraph provenMoves(const BlockMerger &merger, const BlockGraph &before,
                       const BlockGraph &found);

/// Has the measured costs compared (MeasuredBlocks::compared) that provenMoves() needs.
void compareMoves(const BlockMerger &merger, const BlockGraph &before, const BlockGraph &found);

} // namespace graphloom
