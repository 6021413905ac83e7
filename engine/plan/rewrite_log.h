// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// One application of a rewrite rule.
struct RewriteStep {
    std::string rule;      // its name
    std::string category;  // "associative", "distributive", "commutative", "cleanup"
    std::string where;     // labels of the nodes it replaced
    double flopsSaved = 0; // may be 0, or negative where it makes room for another rule
    /// The graphs around the step, which share what it left alone, and the nodes that went and
    /// that came.
    Graph before, after;
    std::vector<NodeId> removed, added;
};

/// What rewriting did to a graph, in order. FLOPs are those of flopsOf() (analysis.h), where
/// extents are known.
struct RewriteLog {
    std::string strategy; // "greedy", "equality-saturation"
    std::vector<RewriteStep> steps;
    double flopsBefore = 0, flopsAfter = 0;
};

} // namespace graphloom
