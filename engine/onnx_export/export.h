// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <filesystem>
#include <stop_token>

namespace graphloom {

struct ExportOptions {
    /// Nodes with metadata instead of one local function per subgraph or block.
    bool flat = false;
    /// Constants go to a file beside the model when together they are larger than this.
    std::uint64_t externalAbove = 1'800'000'000;
    std::stop_token stop = {};
};

/// Writes the plan as standard ONNX that other runtimes load: node order is the schedule; each
/// fusion block with more than one node (or subgraph of the partition, where there are no fusion
/// blocks) is a local function of the domain
/// "graphloom" that inlines elsewhere and keeps its name, or, flat, nodes whose metadata name
/// their block. The plan itself travels in the model's metadata, so that importPlan() of the
/// file gives partition and blocks back. Splat constants become ConstantOfShape nodes.
/// Written under a temporary name and renamed. Fails (Missing) when the place cannot be
/// written, (Fault) when the plan's graph cannot be expressed; stoppedError() when stopped, with
/// the place as it was.
Result<void> exportOnnx(const Plan &plan, const std::filesystem::path &path,
                        const ExportOptions &options = {});

/// The plan of an opened model; with what exportOnnx() stored of it, if it did. Fails as
/// initialPlan().
Result<Plan> importPlan(std::shared_ptr<const Model> model, const std::stop_token &stop = {});

} // namespace graphloom
