// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// Records one application of a rewrite rule.
struct RewriteStep {
    std::string rule;      // the rule's name
    std::string category;  // "associative", "distributive", "commutative", "cleanup"
    std::string where;     // labels of the nodes it replaced
    double flopsSaved = 0; // may be 0, or negative if it enables another rule
    /// The graphs before and after the step, which share unchanged parts, and the nodes that it
    /// removed and added.
    Graph before, after;
    std::vector<NodeId> removed, added;
};

/// Records the steps of rewriting a graph, in order. FLOPs are those of flopsOf() (analysis.h),
/// where extents are known.
struct RewriteLog {
    std::string strategy; // "greedy", "equality-saturation"
    std::vector<RewriteStep> steps;
    double flopsBefore = 0, flopsAfter = 0;
};

} // namespace graphloom
