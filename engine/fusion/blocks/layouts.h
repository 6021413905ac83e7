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

/// Holds the required layouts by block; the cheapest is chosen for a block without one or beyond
/// the end of the list.
using FixedLayouts = std::vector<std::optional<Layout>>;

/// Chooses the layouts of a plan's blocks and the transformations between them at the least total
/// cost, by a minimum cut: a block's node is on the side of its layout, an edge to a terminal costs
/// what the block loses by the layout, and an edge between blocks costs reordering the tensor (once
/// for all its readers). The graph's inputs and outputs are in ONNX's layout. DNNFusion (section
/// 4.4.2) gives each block the layout of its dominant operator; that is computed for comparison.
///
/// The loss of a block is that of its operators with feature maps: each runs along the innermost
/// dimension of its result; lanes that its extent does not fill are idle, and a stride along it
/// makes loads gather.
///
/// The cut asks `steps` whether to stop; if stopped, blocks without a required layout get ONNX's.
LayoutPlan chooseLayouts(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                         const FixedLayouts &fixed = {}, Steps *steps = nullptr);

/// Returns the plan of the given layouts, one for each block, at their cost. Required ones replace
/// them and are locked.
LayoutPlan layoutsOf(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                     std::span<const Layout> layouts, const FixedLayouts &fixed = {});

/// Tells for each block whether it may have either layout: it has feature maps, and no operator
/// that is only known in ONNX's order.
std::vector<char> changeableBlocks(const Ecg &ecg, const FusionPlan &fusion);

/// Transfers the layouts that were chosen by hand for blocks of one plan to the blocks of another
/// that have the same nodes.
FixedLayouts keptLayouts(const FusionPlan &before, const LayoutPlan &layouts,
                         const FusionPlan &now);

/// Returns the layouts after choosing that of some blocks by hand, or (without a layout) releasing
/// them. The others are chosen anew. Fails (Usage), with the nodes that are the cause, if a block
/// has no feature maps or has an operator that is only known in ONNX's order.
Result<LayoutPlan> withLayout(const Ecg &ecg, const FusionPlan &fusion, const LayoutPlan &layouts,
                              const Device &device, std::span<const std::uint32_t> blocks,
                              std::optional<Layout> layout);

} // namespace graphloom
