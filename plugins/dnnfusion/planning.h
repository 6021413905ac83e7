// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/pass/pass.h"

#include <functional>

namespace graphloom::dnnfusion {

/// Gets blocks on the way; called often.
using BlockSink = std::function<void(const BlockGraph &, const BlockMarks &)>;

/// Section 4.3: blocks of the plan's graph, which `facts` are of: recognised ones first, then
/// greedily, then by search. Locked blocks of an earlier plan stay, all others are planned anew.
/// `marks` gets the names and locks of blocks, the plan the record of the search.
BlockGraph planBlocks(const FusionFacts &facts, Plan &plan, const Opsets &opsets, BlockMarks &marks,
                      const Context &context, const BlockSink &publish);

/// OurB+ (section 5): TVM's patterns, whatever Table 3 says.
BlockGraph fixedPatternBlocks(const Ecg &ecg);

} // namespace graphloom::dnnfusion
