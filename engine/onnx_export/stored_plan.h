// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/plan.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Names that an exported model has for parts of a plan, by their number.
struct PartNames {
    std::vector<std::string> nodes; // by node id
    std::vector<std::string> subgraphs, blocks;
};

/// What of a plan is exported beside its graph, as JSON with a schema number: the partition and the
/// fusion blocks, their parts with names, weights and the names of their nodes; what the layers
/// were before fusion; which blocks are locked or have a name; how far contractions go together in
/// them, and whether they are bound to the partition's subgraphs. Empty when there is neither.
std::string storePlan(const Plan &plan, const PartNames &names);

/// Puts what was stored back into the plan of a graph that was read back, whose nodes have the
/// names that were stored; stored nodes that the graph no longer has are left out. Everything that
/// follows from the graph (mapping types, borders, layouts' costs) is derived anew. Fails (Model)
/// with the reason when the text is no such JSON or does not fit the graph; stoppedError() when
/// stopped.
Result<void> restorePlan(std::string_view text, Plan &plan, const std::stop_token &stop = {});

} // namespace graphloom
