// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"

#include <stop_token>

namespace graphloom {

/// What a folded constant may take unless something else is said.
inline constexpr std::uint64_t mostFoldedBytes = std::uint64_t{1} << 24;

/// The graph with every node replaced by constants whose outputs are known already: those that
/// depend on constants and static shapes only. A constant that is passed on unchanged (Identity)
/// stays one tensor, a reshaped one shares its data; other results above `maxBytes` are left to be
/// computed. Nodes and constants that nobody reads any more are removed. Expects an inferred graph
/// (infer.h). stoppedError() when stopped.
Result<Graph> foldConstants(const Graph &graph, const Opsets &opsets,
                            std::uint64_t maxBytes = mostFoldedBytes,
                            const std::stop_token &stop = {});

} // namespace graphloom
