// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nest.h"

namespace graphloom {

/// Joins nests: what only moves elements or computes each by itself goes into its readers, or into
/// the reduction that it reads. What nobody needs afterwards goes.
void fuseNests(BlockNests &block);

} // namespace graphloom
