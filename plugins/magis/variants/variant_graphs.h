// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/variants.h"

namespace graphloom::magis {

/// Graphs that compute the same, ready to be searched: the plan's own, first; with calls merged, if
/// that is faster; without concatenations before calls, if it has any; for inference, the last of
/// these with duplicates, if any are worth it. Fails (Model) where a node contradicts its operator
/// or its memory is not known.
Result<std::vector<Variant>> variantsOf(const Plan &plan, const Settings &settings,
                                        const Opsets &opsets, const VariantOptions &options);

} // namespace graphloom::magis
