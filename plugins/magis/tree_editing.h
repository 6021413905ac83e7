// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/checkpoint.h"

namespace graphloom::magis {

/// The state with one fission of its tree in another number of parts, or locked, or not (F-Tree
/// mutations of MAGIS 5.1, by hand). Fails (Usage) with the reason and the nodes of what is in the
/// way. What is computed again or swapped stays so, where it still can.
Result<Decisions> edited(const Variant &variant, Decisions decisions,
                         const Context::FissionEdit &edit);

/// Adds to a plan's tree what users choose by: heat and score of each fission (eq. 3 and 4), and
/// what the plan would cost with it alone changed.
void addChoices(const Variant &variant, const Decisions &decisions, MemoryPlan &plan);

} // namespace graphloom::magis
