// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

#include <stop_token>

namespace graphloom::magis {

/// Returns the graph with the parts that are cut out of constants as constants of their own, each
/// part once. This is for inference, where weights do not change. The other nodes keep their order.
/// Fails as foldConstants() does.
Result<Graph> withConstantParts(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop = {});
/// Does the same for the graph of a state, and updates its annotations.
Result<Realized> withConstantParts(Realized realized, const Opsets &opsets);

} // namespace graphloom::magis
