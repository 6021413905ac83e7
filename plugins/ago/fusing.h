// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"
#include "engine/pass/pass.h"

namespace graphloom::ago {

/// Returns the blocks of the plan that partition and fusion begin with: all of another pass, so
/// that a plan that `dnnfusion` made is only improved on; locked ones where "keep-blocks" is off,
/// after another run of this pass, and where locked subgraphs could cut the others.
KeptBlocks keptBlocks(const Plan &plan, const Settings &settings);

/// Runs AGO's back end (section III) on the plan's partition: finds the fusion blocks inside of
/// each subgraph. First it fuses each complex operator with the simple ones around it (III-A);
/// then, if "intensive" is on, it fuses complex operators with each other (III-B) where the code
/// generator runs them tile by tile. Replaces the plan's blocks except kept ones, publishes
/// snapshots on the way, and adds the results to `summary`. If stopped, keeps the blocks found so
/// far. Fails (Model) if a node contradicts its operator's definition.
Result<void> fuseSubgraphs(Plan &plan, KeptBlocks kept, const Opsets &opsets,
                           const Context &context, std::vector<SummaryEntry> &summary);

} // namespace graphloom::ago
