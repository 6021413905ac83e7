// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/codegen/nests/nest.h"
#include "engine/plan/layout_plan.h"

#include <map>
#include <optional>
#include <set>

namespace graphloom {

/// Where every tensor of a plan is while it runs.
struct PlanStorages {
    /// By block and tensor of the block. Constants have a row-major one.
    std::vector<std::vector<Storage>> blocks;
    std::map<TensorId, Storage> tensors;
};

/// Feature maps between blocks are in the layouts that the plan has chosen; for the others the
/// order of dimensions follows from what is computed: what a contraction with weights writes has
/// the axis innermost that only the weights depend on (channels last for convolutions, as it
/// stands for matrix products), everything else the order of what it reads; inputs and outputs of
/// the graph are row-major. Windows that reach outside with one value get margins that hold it.
/// `blocks` in plan order; none where a block is interpreted, what such ones read and write
/// (`interpreted`) is row-major.
PlanStorages storagesOf(const Graph &graph, const std::vector<std::optional<BlockNests>> &blocks,
                        const std::set<TensorId> &interpreted,
                        const std::map<TensorId, Layout> &layouts = {});

} // namespace graphloom
