// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Joins nests: what only moves elements or computes each by itself goes into its readers, or into
/// the reduction that it reads. What nobody needs afterwards goes. A tensor stays in memory where
/// its readers would compute indices for longer than it takes to write and read it, and where these
/// would become too long (BlockNests::stored). The steps grow linearly with the block. False when
/// stopped.
bool fuseNests(BlockNests &block, Steps &steps);

} // namespace graphloom
