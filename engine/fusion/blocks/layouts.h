// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/base/steps.h"
#include "engine/cost/device.h"
#include "engine/fusion/facts/ecg.h"
#include "engine/plan/fusion_plan.h"
#include "engine/plan/layout_plan.h"

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// By block: the layout that it must have; none, and behind the list: the cheapest.
using FixedLayouts = std::vector<std::optional<Layout>>;

/// Layouts of the blocks of a plan and the transformations between them, cheapest in all: a minimum
/// cut, where a block's node is on the side of its layout, an edge to a terminal costs what the
/// block loses by the layout, and one between blocks what reordering the tensor costs (once for all
/// its readers). The graph's inputs and outputs are as ONNX has them. DNNFusion (section 4.4.2)
/// gives each block the layout of its dominant operator; that is computed for comparison.
///
/// What a block loses: its dominant operator runs along the innermost dimension of its result; as
/// many lanes as do not fit its extent are idle, and a stride along it makes loads gather.
///
/// The cut asks `steps` whether to stop; blocks that nothing fixes are as ONNX has them then.
LayoutPlan chooseLayouts(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                         const FixedLayouts &fixed = {}, Steps *steps = nullptr);

/// What was chosen by hand for blocks of one plan, for the blocks of another that have their nodes.
FixedLayouts keptLayouts(const FusionPlan &before, const LayoutPlan &layouts,
                         const FusionPlan &now);

/// The layouts with that of some blocks chosen by hand, or (none) no longer. The others are chosen
/// anew. Fails (Usage), with the nodes that are the cause, where a block has no feature maps or an
/// operator that is only known in ONNX's order.
Result<LayoutPlan> withLayout(const Ecg &ecg, const FusionPlan &fusion, const LayoutPlan &layouts,
                              const Device &device, std::span<const std::uint32_t> blocks,
                              std::optional<Layout> layout);

} // namespace graphloom
