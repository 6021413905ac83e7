// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

#include <string>

namespace graphloom::magis {

/// A graph in which some tensors are computed a second time for readers far from the first ones.
struct Duplicated {
    Graph graph;
    std::vector<std::string> tensors; // that are computed twice
    double seconds = 0;               // of the nodes that are there twice now
};

/// Re-materialization as nodes of the graph, as the paper has it (MAGIS 5.2), beside that as a
/// policy: a fission can have the second computation in it, so that what it gives is never whole
/// in memory, as the first level of a U-Net beside its last one. Takes tensors, those that free
/// most memory for most of the time first, as long as the seconds of the copies stay within
/// `seconds`. What a copy reads is there anyway, or is copied, too.
Result<Duplicated> duplicated(const SearchSpace &space, const Trace &trace, double seconds);

} // namespace graphloom::magis
