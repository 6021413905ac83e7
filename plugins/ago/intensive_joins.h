// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/plan_builder.h"
#include "engine/ops/infer.h"

#include <stop_token>

namespace graphloom::ago {

/// AGO's JOIN with intensive fusion (sections V and III-B): blocks of complex operators of which
/// one reads another's result become one, where the rules allow and the code generator runs their
/// loop nests together tile by tile; where it would run one after the other all the same, they stay
/// apart. Looks at all such pairs at once, and again at what came of it, until nothing joins. Gives
/// the pairs that stay.
Result<KeptApart> joinIntensively(const BlockMerger &merger, BlockGraph &blocks,
                                  const BlockMarks &marks, const Opsets &opsets,
                                  std::stop_token stop);

/// Nodes of the block that are complex operators (AGO section II), in the graph's order.
std::vector<NodeId> complexNodes(const Ecg &ecg, std::span<const NodeId> nodes);

} // namespace graphloom::ago
