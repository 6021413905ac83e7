// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/rewrite.h"

namespace graphloom {

/// Rewrites greedily like DNNFusion (section 4.2): within each region of the graph, the match with
/// the largest reduction of cost is replaced, until none reduces it. Then a commutative rule that
/// costs nothing is tried if it enables one that reduces the cost (Table 4, dagger).
Result<RewriteResult> rewriteGreedily(const Graph &graph, const Opsets &opsets,
                                      std::span<const Rule> rules, const RewriteOptions &options);

} // namespace graphloom
