// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/checkpoint.h"

namespace graphloom::magis {

/// Returns the state with one fission of its tree in another number of parts, or locked or unlocked
/// (F-Tree mutations of MAGIS 5.1, by hand). Fails (Usage) with the reason and the nodes that are
/// in the way. Tensors that are computed again or swapped stay so if they still can.
Result<Decisions> edited(const Variant &variant, Decisions decisions,
                         const Context::FissionEdit &edit);

/// Adds to a plan's tree what users base their choice on: heat and score of each fission (eq. 3 and
/// 4), and what the plan would cost with only that fission changed.
void addChoices(const Variant &variant, const Decisions &decisions, MemoryPlan &plan);

} // namespace graphloom::magis
