// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/rewrite.h"

namespace graphloom {

/// Equality saturation, as the better alternative to DNNFusion's greedy: begins with what the
/// greedy gives; then, window by window, an e-graph holds both the calls as they were and as the
/// greedy left them, all rules add to it what is equal, and the cheapest of what it holds is taken.
/// Costs at most what the greedy's graph costs.
Result<RewriteResult> rewriteBySaturation(const Graph &graph, const Opsets &opsets,
                                          std::span<const Rule> rules,
                                          const RewriteOptions &options);

} // namespace graphloom
