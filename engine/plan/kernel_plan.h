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

/// Describes how one loop nest of a block runs, and its measurements.
struct NestKernel {
    std::string schedule; // as text (engine/codegen/schedule/schedule.h); empty: the default one
    /// The time of one call in "ms", with the default schedule and with this one; empty: not
    /// measured.
    std::optional<Figure> before, time;
    std::int64_t trials = 0; // candidates that were measured to find the schedule
};

/// Names a part of a plan's kernels.
struct KernelPlace {
    std::uint32_t block = 0;               // index in kernelBlocksOf()
    std::optional<std::uint32_t> nest = 0; // the first of those that run together; empty: all
    auto operator<=>(const KernelPlace &) const = default;
};

/// Describes the kernels of a plan's blocks for one target.
struct KernelPlan {
    std::string target;   // "host"
    std::string device;   // its fingerprint, as in a ProfileKey
    unsigned threads = 1; // the number that schedules were chosen for
    /// The fusion plan that the blocks belong to: a plan with other blocks cannot use these
    /// kernels.
    std::shared_ptr<const FusionPlan> fusion;
    std::vector<std::vector<NestKernel>> blocks; // by block and nest; empty: the default schedules
    /// Tells how blocks compute, by block, as text (engine/codegen/algorithms/block_algorithm.h):
    /// which convolutions use Winograd's algorithm, which nests are computed tile by tile. `blocks`
    /// lists the nests that result from it. Empty: as estimated.
    std::vector<std::string> algorithms;
};

/// Returns the groups of nodes that are built as one kernel each, in a topological order: the
/// plan's fusion blocks, or the single nodes if the plan has no fusion.
std::vector<std::vector<NodeId>> kernelBlocksOf(const Plan &plan);

/// Returns LayoutPlan::tensors of the plan; empty if it has no layouts.
std::map<TensorId, Layout> layoutsOf(const Plan &plan);

/// Returns the plan's kernels; null if it has none, or if they belong to blocks that it no longer
/// has.
const KernelPlan *kernelsOf(const Plan &plan);

} // namespace graphloom
