// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"

namespace graphloom {

/// Returns other ways for a block to compute: a convolution by another algorithm, with the groups
/// as estimated. Algorithms whose estimated time is more than `hopeless` times the best are left
/// out.
std::vector<BlockAlgorithm> otherConvolutions(const PlanKernels &kernels, BlockIndex block,
                                              double hopeless);

/// Returns other groupings of the kernel's nests, one step away: the nests of a group separated,
/// two groups joined, or a tile of half or twice as many points. Not all of them are possible.
std::vector<BlockAlgorithm> otherGroups(const BlockKernel &kernel, int lanes);

} // namespace graphloom
