// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph_part.h"

#include <string>
#include <vector>

namespace graphloom {

/// Records one application of a rewrite rule.
struct RewriteStep {
    std::string rule;      // the rule's name
    std::string category;  // "associative", "distributive", "commutative", "cleanup"
    std::string where;     // labels of the nodes it replaced
    double flopsSaved = 0; // may be 0, or negative if it enables another rule
    std::vector<NodeId> removed, added;
    /// What there was and what there is: `removed` and `added`, with some of the nodes around them.
    GraphPart before, after;

    /// Takes the parts from the graphs before and after the step, whose removed and added nodes are
    /// known.
    void setParts(const Graph &graphBefore, const Graph &graphAfter);
};

/// Records the steps of rewriting a graph, in order. FLOPs are those of flopsOf() (analysis.h),
/// where extents are known.
struct RewriteLog {
    std::string strategy; // "greedy", "equality-saturation"
    std::vector<RewriteStep> steps;
    double flopsBefore = 0, flopsAfter = 0;
};

} // namespace graphloom
