// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/fusion/ecg.h"
#include "engine/plan/fusion_plan.h"
#include "engine/plan/layout_plan.h"

namespace graphloom {

/// Layouts of the blocks of a plan and the transformations between them, cheapest in all: a minimum
/// cut, where a block's node is on the side of its layout, an edge to a terminal costs what the
/// block loses by the layout, and one between blocks what reordering the tensor costs (once for all
/// its readers). The graph's inputs and outputs are as ONNX has them. DNNFusion (section 4.4.2)
/// gives each block the layout of its dominant operator; that is computed for comparison.
///
/// What a block loses: its dominant operator runs along the innermost dimension of its result; as
/// many lanes as do not fit its extent are idle, and a stride along it makes loads gather.
LayoutPlan chooseLayouts(const Ecg &ecg, const FusionPlan &fusion, const Device &device);

} // namespace graphloom
