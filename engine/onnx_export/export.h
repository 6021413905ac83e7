// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <filesystem>
#include <stop_token>

namespace graphloom {

struct ExportOptions {
    /// Writes nodes with metadata instead of one local function per subgraph or block.
    bool flat = false;
    /// Constants go to a file next to the model if together they take more bytes than this.
    std::uint64_t externalAbove = 1'800'000'000;
    std::stop_token stop = {};
};

/// Writes the plan as standard ONNX that other runtimes load: node order is the schedule; each
/// fusion block with more than one node (or subgraph of the partition, if there are no fusion
/// blocks) is a local function of the domain "graphloom", which other runtimes inline and which
/// keeps its name, or, if flat, nodes whose metadata name their block. The plan itself is stored in
/// the model's metadata, so that importPlan() restores partition and blocks from the file. Splat
/// constants become ConstantOfShape nodes.
/// Written under a temporary name and renamed. Fails (Missing) if the path cannot be written,
/// (Fault) if the plan's graph cannot be expressed; stoppedError() if stopped, with the path
/// unchanged.
Result<void> exportOnnx(const Plan &plan, const std::filesystem::path &path,
                        const ExportOptions &options = {});

/// Returns the plan of an opened model, with what exportOnnx() stored of it, if anything. Fails as
/// initialPlan() does.
Result<Plan> importPlan(std::shared_ptr<const Model> model, const std::stop_token &stop = {});

} // namespace graphloom
