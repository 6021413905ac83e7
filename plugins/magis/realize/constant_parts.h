// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/realize/realization.h"

#include <stop_token>

namespace graphloom::magis {

/// The graph with what is cut out of constants as constants, each part once: for inference, where
/// weights stay as they are. The order of the other nodes stays. Fails as foldConstants().
Result<Graph> withConstantParts(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop = {});
/// The same for the graph of a state, with what is said of it.
Result<Realized> withConstantParts(Realized realized, const Opsets &opsets);

} // namespace graphloom::magis
