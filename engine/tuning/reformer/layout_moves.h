// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/fusion_plan.h"
#include "engine/plan/layout_plan.h"
#include "engine/tuning/reformer/reform_context.h"
#include "engine/tuning/reformer/tuning_state.h"

namespace graphloom {

/// Changes the layouts of feature maps as long as that is measured to be faster (AGO section V:
/// layouts are part of the search space). A move gives other layouts to a block at the border of
/// such a region or to a whole region: neighbouring blocks with the same layout. Those that the
/// model says to cost least come first; those that it is sure about are left out. The kernels that
/// a move changes, of the blocks and of their readers, are timed in turns with those before, all
/// with default schedules. Locked blocks keep their layouts.
///
/// `fusion` has the blocks of the state and `layouts` their layouts; both `layouts` and the
/// generator's follow the moves. Returns the number of moves that were made. Ends early when its
/// share of the budget is spent. Fails as measureInTurns() and generateKernels().
Result<int> moveLayouts(const ReformContext &context, StateGenerator &generator,
                        const FusionPlan &fusion, LayoutPlan &layouts, TuningState &state);

} // namespace graphloom
