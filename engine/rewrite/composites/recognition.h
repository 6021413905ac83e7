// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/opsets.h"
#include "engine/rewrite/composites/composites.h"

#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Describes nodes that together form a composite.
struct RecognisedBlock {
    std::string name;          // of the composite
    std::vector<NodeId> nodes; // in the graph's order; the last one gives the result
    const Composite *composite = nullptr;
    const Pattern *spelling = nullptr; // of the composite
};

/// Finds the composites() of a graph. Intermediate values must be read inside only. Blocks do not
/// overlap; the largest come first. Expects an inferred graph. If stopped, returns those found so
/// far.
std::vector<RecognisedBlock> recognise(const Graph &graph, const Opsets &opsets,
                                       const std::stop_token &stop = {});

/// Returns the graph with one call in place of every composite for which the given opsets have an
/// operator: LayerNormalization from opset 17 on, Gelu from 20 on or else com.microsoft's, and so
/// forth; the others stay as they are. Values keep names, types and shapes. Expects an inferred
/// graph. Fails (Fault) only if a replacement breaks the graph; stoppedError() if stopped.
Result<Graph> withComposites(const Graph &graph, const Opsets &opsets,
                             const std::stop_token &stop = {});

} // namespace graphloom
