// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/infer.h"
#include "engine/pass/pass.h"

namespace graphloom::ago {

/// AGO's back end (section III) on the plan's partition: the fusion blocks inside of each subgraph.
/// First each complex operator with the simple ones around it (III-A), then, if "intensive" is on,
/// complex ones with each other (III-B) where the code generator runs them tile by tile. Replaces
/// the plan's blocks but for locked ones, publishes snapshots on the way, and adds to `summary`
/// what came of it. Stopped, it leaves the blocks that there are. Fails (Model) when a node
/// contradicts its operator's definition.
Result<void> fuseSubgraphs(Plan &plan, const Opsets &opsets, const Context &context,
                           std::vector<SummaryEntry> &summary);

} // namespace graphloom::ago
