// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/pass/pass.h"

#include <functional>

namespace graphloom::dnnfusion {

/// Receives intermediate blocks; called often.
using BlockSink = std::function<void(const BlockGraph &, const BlockMarks &)>;

/// Plans the fusion blocks of the plan's graph (DNNFusion section 4.3): recognised blocks first,
/// then greedily, then by search. `facts` must be of that graph. Locked blocks of an earlier plan
/// stay; all others are planned anew. Stores the names and locks of blocks in `marks`, and the
/// record of the search in the plan.
BlockGraph planBlocks(const FusionFacts &facts, Plan &plan, const Opsets &opsets, BlockMarks &marks,
                      const Context &context, const BlockSink &publish);

/// Returns the blocks of OurB+ (section 5): those of TVM's patterns, regardless of Table 3.
BlockGraph fixedPatternBlocks(const Ecg &ecg);

} // namespace graphloom::dnnfusion
