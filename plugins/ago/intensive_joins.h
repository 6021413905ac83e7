// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"

namespace graphloom::ago {

/// Performs AGO's JOIN with intensive fusion (sections V and III-B). Two blocks with complex
/// operators, of which one reads the other's result, or one of them and windows that overlap, such
/// as those of a pooling, which read it, become one if the rules allow it, if the
/// tensors between them do not fit a cache of `cacheBytes` bytes, and if the code generator runs
/// their loop nests together tile by tile. Tensors that fit stay in the cache anyway; then tiles
/// only cost, in operands that are read again and in smaller register tiles. The size does not
/// matter where rows wait for a reduction between the two (attention). All such pairs are
/// considered at once, and again after each round of joins, until nothing joins or the run is
/// stopped. Returns the pairs that only the cache or the code generator keeps apart, with the
/// reason.
Result<KeptApart> joinIntensively(const BlockMerger &merger, BlockGraph &blocks,
                                  const BlockMarks &marks, double cacheBytes, const Opsets &opsets,
                                  Steps &steps);

/// Returns those of a block's nodes that are complex operators (AGO section II), in the graph's
/// order.
std::vector<NodeId> complexNodes(const Ecg &ecg, std::span<const NodeId> nodes);

} // namespace graphloom::ago
