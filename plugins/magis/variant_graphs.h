// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/pass.h"
#include "plugins/magis/variants.h"

namespace graphloom::magis {

/// The graph, the graph with calls merged, the graph without concatenations before calls, and the
/// last of them with duplicates, as far as there are such.
/// Fails (Model) where a node contradicts its operator or its memory is not known.
Result<std::vector<Variant>> variantsOf(const Plan &plan, const Settings &settings,
                                        const Opsets &opsets, const VariantOptions &options);

} // namespace graphloom::magis
