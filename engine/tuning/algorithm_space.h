// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"

namespace graphloom {

/// How a block may compute, other than it does: a convolution by another algorithm, the groups then
/// as estimated. Left out is what the estimate takes for more than `hopeless` times as slow as the
/// best.
std::vector<BlockAlgorithm> otherConvolutions(const PlanKernels &kernels, std::size_t block,
                                              double hopeless);

/// Other groups of the kernel's nests, in one step: nests of a group apart, two groups together,
/// or a tile of half or twice as many points. Not all of them are possible.
std::vector<BlockAlgorithm> otherGroups(const BlockKernel &kernel);

} // namespace graphloom
