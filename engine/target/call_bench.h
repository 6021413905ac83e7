// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "engine/plan/layout_plan.h"
#include "engine/plan/plan.h"

#include <map>
#include <span>
#include <vector>

namespace graphloom {

/// The orders in memory that the kernels of a graph, one for each node, give its tensors, as far as
/// a LayoutPlan can say them; tensors of three dimensions and more.
std::map<TensorId, Layout> kernelLayouts(const Graph &graph, const Opsets &opsets);

/// A plan that does several calls, each by itself, for measuring them.
struct CallBench {
    Plan plan;                 // without fusion: each node is a block
    std::vector<NodeId> calls; // the nodes that are the calls
    /// By call: what the order in memory of its operands and results is, as text.
    std::vector<std::string> layouts;
};

/// Calls of a graph side by side. What they read and write between blocks of the graph, they read
/// and write between blocks here, too, in the given orders: at the border of a graph everything is
/// in ONNX's order and without margins, and kernels are others. Constants of parts, and those that
/// are the same everywhere, have pseudo-random elements. Fails (Model) naming the call that cannot
/// be run by itself.
Result<CallBench> benchOf(const Graph &graph, std::span<const CallPart *const> calls,
                          const std::map<TensorId, Layout> &layouts);

/// Bytes that the tensors of a call take in such a plan, at most.
std::int64_t benchBytes(const CallPart &call);

} // namespace graphloom
