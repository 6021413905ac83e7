// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::dnnfusion {

/// Rewrites the plan's graph (DNNFusion section 4.2) by the rules that the settings leave on, and
/// appends the steps to the plan's log, after those of earlier runs. The contents of locked blocks
/// stay as they are.
Result<void> rewritePlan(Plan &plan, const Context &context, const Opsets &opsets);

} // namespace graphloom::dnnfusion
