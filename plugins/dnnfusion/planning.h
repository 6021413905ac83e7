// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/measured_blocks.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/pass/pass.h"

#include <functional>

namespace graphloom::dnnfusion {

/// Receives intermediate blocks; called often.
using BlockSink = std::function<void(const BlockGraph &, const BlockMarks &)>;

/// Measures what decisions depend on.
struct DecisionTiming {
    std::shared_ptr<BlockMeasurements> measurements; // of the facts
    std::shared_ptr<CallTimer> timer;
    double until = 0;         // by the context's clock
    std::size_t measured = 0; // blocks so far
};

/// Plans the fusion blocks of the plan's graph (DNNFusion section 4.3): recognised blocks first,
/// then greedily, then by search. `facts` must be of that graph. Locked blocks of an earlier plan
/// stay; all others are planned anew. If the settings ask for fixed patterns, returns those of
/// fixedPatternBlocks() instead. Stores the names and locks of blocks in `marks`, and the
/// record of the search in the plan. With `timing`, yellow cells and what the search has changed
/// are decided by measured times, as far as there is time for measuring.
BlockGraph planBlocks(const FusionFacts &facts, Plan &plan, const Opsets &opsets, BlockMarks &marks,
                      const Context &context, const BlockSink &publish, DecisionTiming *timing);

/// Returns the blocks of OurB+ (section 5): those of TVM's patterns, regardless of Table 3. Blocks
/// that are locked in `marks` stay.
BlockGraph fixedPatternBlocks(const Ecg &ecg, BlockGraph blocks, const BlockMarks &marks);

} // namespace graphloom::dnnfusion
