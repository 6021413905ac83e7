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

/// Holds a plan that performs several kernels, each by itself, to measure them.
struct KernelBench {
    Plan plan;
    std::vector<std::vector<NodeId>> kernels; // the nodes of each, which are a block of the plan
    /// The order in memory of the operands and results of each kernel, as text.
    std::vector<std::string> layouts;
};

/// Describes a kernel to be measured by its calls, in the graph's order: a call or part of one, or
/// whole calls that one kernel computes together.
using KernelCalls = std::span<const CallPart>;

/// Returns a bench with kernels of a graph side by side. Tensors that the kernels read and write
/// between blocks of the graph are between blocks here, too, in the given orders: at a graph's
/// border all tensors are in ONNX's order and without margins, so kernels would differ. Constants
/// of parts, and constants that are the same everywhere, have pseudo-random elements. Fails
/// (Model), naming the call, if a call cannot be run by itself.
Result<KernelBench> benchOf(const Graph &graph, std::span<const KernelCalls> kernels,
                            const std::map<TensorId, Layout> &layouts);

/// Returns an upper bound on the bytes that the tensors of a kernel take in such a plan.
std::int64_t benchBytes(KernelCalls calls);

} // namespace graphloom
