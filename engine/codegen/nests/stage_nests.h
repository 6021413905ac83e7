// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Returns the nests of a block as its operators have them, one for each stage that has results.
/// Fails as nestsOf() does.
Result<BlockNests> stageNestsOf(const Graph &graph, const Opsets &opsets,
                                const std::vector<NodeId> &nodes, Steps &steps);

} // namespace graphloom
