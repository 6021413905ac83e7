// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "plugins/magis/variants/variants.h"

namespace graphloom::magis {

/// Returns graphs that compute the same, ready to be searched: first the plan's own; with calls
/// merged, if that is faster; for training, with normalizations moved into the weights of
/// convolutions, if it has any; without concatenations before calls, if it has any; for inference,
/// the last of these with duplicates, if any pay. Fails (Model) if a node contradicts its operator
/// or its memory is not known.
Result<std::vector<Variant>> variantsOf(const Plan &plan, const Settings &settings,
                                        const Opsets &opsets, const VariantOptions &options);

} // namespace graphloom::magis
