// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"

namespace graphloom::ago {

/// AGO's JOIN with intensive fusion (sections V and III-B): blocks of complex operators of which
/// one reads another's result become one, where the rules allow, what is between them does not fit
/// a cache of so many bytes, and the code generator runs their loop nests together tile by tile.
/// What fits stays in the cache as it is; tiles then only cost, in operands that are read again and
/// in smaller register tiles. Where rows wait for a reduction between the two (attention), the size
/// does not matter. Looks at all such pairs at once, and again at what came of it, until nothing
/// joins, or it is stopped. Gives the pairs that stay apart for nothing but that.
Result<KeptApart> joinIntensively(const BlockMerger &merger, BlockGraph &blocks,
                                  const BlockMarks &marks, double cacheBytes, const Opsets &opsets,
                                  Steps &steps);

/// Nodes of the block that are complex operators (AGO section II), in the graph's order.
std::vector<NodeId> complexNodes(const Ecg &ecg, std::span<const NodeId> nodes);

} // namespace graphloom::ago
