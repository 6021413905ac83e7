// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/operator_table.h"

namespace graphloom::magis {

/// The graph with what is cut out of constants as constants, each part once: for inference, where
/// weights stay as they are. The order of the other nodes stays. Fails as foldConstants().
Result<Graph> withConstantParts(const Graph &graph, const Opsets &opsets);

} // namespace graphloom::magis
