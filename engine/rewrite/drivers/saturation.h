// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/rewrite.h"

namespace graphloom {

/// Rewrites by equality saturation, as the better alternative to DNNFusion's greedy: starts from
/// the greedy result; then, window by window, an e-graph holds the calls both as they were and as
/// the greedy left them, all rules add equal terms to it, and the cheapest result is extracted.
/// Costs at most as much as the graph of the greedy.
Result<RewriteResult> rewriteBySaturation(const Graph &graph, const Opsets &opsets,
                                          std::span<const Rule> rules,
                                          const RewriteOptions &options);

} // namespace graphloom
