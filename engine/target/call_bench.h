// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "engine/plan/layout_plan.h"
#include "engine/plan/plan.h"

#include <map>
#include <span>
#include <vector>

namespace graphloom {

/// Returns the orders in memory that the kernels of a graph, one for each node, give its tensors,
/// as far as a LayoutPlan can express them; for tensors of three or more dimensions.
std::map<TensorId, Layout> kernelLayouts(const Graph &graph, const Opsets &opsets);

/// Holds a plan that performs several calls, each by itself, to measure them.
struct CallBench {
    Plan plan;                 // without fusion: each node is a block
    std::vector<NodeId> calls; // the nodes of the calls
    /// The order in memory of the operands and results of each call, as text.
    std::vector<std::string> layouts;
};

/// Returns a bench with calls of a graph side by side. Tensors that the calls read and write
/// between blocks of the graph are between blocks here, too, in the given orders: at a graph's
/// border all tensors are in ONNX's order and without margins, so kernels would differ. Constants
/// of parts, and constants that are the same everywhere, have pseudo-random elements. Fails
/// (Model), naming the call, if a call cannot be run by itself.
Result<CallBench> benchOf(const Graph &graph, std::span<const CallPart *const> calls,
                          const std::map<TensorId, Layout> &layouts);

/// Returns an upper bound on the bytes that the tensors of a call take in such a plan.
std::int64_t benchBytes(const CallPart &call);

} // namespace graphloom
