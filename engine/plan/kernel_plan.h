// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/figure.h"
#include "engine/ir/graph.h"
#include "engine/plan/layout_plan.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

struct FusionPlan;
struct Plan;

/// How one loop nest of a block runs, and what is known of it.
struct NestKernel {
    std::string schedule; // as text (engine/codegen/schedule/schedule.h); empty: the default one
    /// Of one call with the default schedule and with this one, "ms"; none: not measured.
    std::optional<Figure> before, time;
    std::int64_t trials = 0; // that were measured to find the schedule
};

/// A part of a plan's kernels.
struct KernelPlace {
    std::uint32_t block = 0;               // of kernelBlocksOf()
    std::optional<std::uint32_t> nest = 0; // the first of those that run together; none: all
    auto operator<=>(const KernelPlace &) const = default;
};

/// Kernels of a plan's blocks for one target.
struct KernelPlan {
    std::string target;   // "host"
    std::string device;   // its fingerprint, as in a ProfileKey
    unsigned threads = 1; // that schedules were chosen for
    /// Whose blocks these are: a plan with other blocks cannot use them.
    std::shared_ptr<const FusionPlan> fusion;
    std::vector<std::vector<NestKernel>> blocks; // by block and nest; empty: the default schedules
    /// How blocks compute, by block, as text (engine/codegen/algorithms/block_algorithm.h): which
    /// convolutions by Winograd's algorithm, which nests tile by tile. The nests of `blocks` are
    /// those that then are. Empty: as estimated.
    std::vector<std::string> algorithms;
};

/// What is built as one kernel each: the plan's fusion blocks, or each node without fusion. In a
/// topological order.
std::vector<std::vector<NodeId>> kernelBlocksOf(const Plan &plan);

/// LayoutPlan::tensors of the plan; none when it has chosen no layouts.
std::map<TensorId, Layout> layoutsOf(const Plan &plan);

/// The plan's kernels; null when it has none, or those of other blocks than it has by now.
const KernelPlan *kernelsOf(const Plan &plan);

} // namespace graphloom
