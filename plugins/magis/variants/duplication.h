// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

#include <string>

namespace graphloom::magis {

/// Holds a graph in which some tensors are computed a second time for readers far from the first
/// ones.
struct Duplicated {
    Graph graph;
    std::vector<std::string> tensors; // that are computed twice
    double seconds = 0;               // of the nodes that are there twice now
};

/// Duplicates computations as nodes of the graph, which is re-materialization as in the paper
/// (MAGIS 5.2), in addition to the policy. A fission can then contain the second computation, so
/// that its result is never whole in memory; an example is the first level of a U-Net next to its
/// last one. Tensors are taken in the order of the memory that they free, and for how long, as long
/// as the copies take no more than `seconds` in all. Tensors that a copy reads are alive anyway or
/// are copied, too.
Result<Duplicated> duplicated(const SearchSpace &space, const Trace &trace, double seconds);

} // namespace graphloom::magis
