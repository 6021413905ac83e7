// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/plan.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Holds the names of parts of a plan in an exported model, by their number.
struct PartNames {
    std::vector<std::string> nodes; // by node id
    std::vector<std::string> subgraphs, blocks;
};

/// Returns, as JSON with a schema number, what is exported of a plan besides its graph: the
/// partition and the fusion blocks, their parts with names, weights and the names of their nodes;
/// the layers before fusion; which blocks are locked or named; how far contractions may be fused in
/// them, and whether they are bound to the partition's subgraphs. Empty if there is neither
/// partition nor blocks.
std::string storePlan(const Plan &plan, const PartNames &names);

/// Restores what was stored into the plan of a graph that was read back, whose nodes have the names
/// that were stored; stored nodes that the graph no longer has are left out. Everything that
/// follows from the graph (mapping types, borders, costs of layouts) is derived anew. Fails (Model)
/// with the reason if the text is no such JSON or does not fit the graph; stoppedError() if
/// stopped.
Result<void> restorePlan(std::string_view text, Plan &plan, const std::stop_token &stop = {});

} // namespace graphloom
