// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/drivers/rewrite.h"

namespace graphloom {

/// DNNFusion's greedy (section 4.2): within each region of the graph, the match with the largest
/// reduction of cost is replaced, until none reduces it. Where none does, a commutative rule that
/// costs nothing is tried if it makes way for one that reduces (Table 4, dagger).
Result<RewriteResult> rewriteGreedily(const Graph &graph, const Opsets &opsets,
                                      std::span<const Rule> rules, const RewriteOptions &options);

} // namespace graphloom
