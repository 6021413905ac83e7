// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <stop_token>

namespace graphloom {

/// The most bytes that a folded constant may take, unless the caller gives another limit.
inline constexpr std::uint64_t mostFoldedBytes = std::uint64_t{1} << 24;

/// Returns the graph with each node replaced by constants if its outputs are already known, that
/// is, if they depend only on constants and static shapes. A constant that is passed on unchanged
/// (Identity) stays one tensor, and a reshaped one shares its data. Other nodes whose results
/// exceed `maxBytes` stay. Nodes and constants that are no longer read are removed. Expects an
/// inferred graph (infer.h). Fails with stoppedError() when stopped.
Result<Graph> foldConstants(const Graph &graph, const Opsets &opsets,
                            std::uint64_t maxBytes = mostFoldedBytes,
                            const std::stop_token &stop = {});

} // namespace graphloom
