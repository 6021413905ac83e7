// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

namespace graphloom::dnnfusion {

/// Section 4.2: the plan's graph rewritten by the rules that the settings leave on, with the steps
/// in its log behind those of earlier runs. What is in locked blocks stays as it is.
Result<void> rewritePlan(Plan &plan, const Context &context, const Opsets &opsets);

} // namespace graphloom::dnnfusion
