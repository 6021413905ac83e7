// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/derive/analysis.h"

#include <span>
#include <vector>

namespace graphloom {

/// What movements (reorganize, shuffle, expand, gather) are to fixed patterns.
enum class Movements {
    Alone,     // fused with one another only, as AGO section VI describes Relay
    Injective, // as simple operators, but not behind a contraction: TVM's own classes
};

/// Fusion by fixed patterns, the operator fusion of TVM's Relay (FuseOps): what AGO section VI
/// compares with, and DNNFusion's OurB+ (section 5). Gives a group number for every node by
/// position, and takes the nodes' classes by position.
///
/// The rule. Nodes are *complex* (contractions: convolution, matrix product), *simple*
/// (elementwise, with or without broadcast), *reductions* (any other reduction or window),
/// *movements* or opaque. In topological order, a node's group is fused with its immediate
/// post-dominator, the next node through which all that is computed from it flows, where
///  - it holds a complex node, and all nodes on the paths up to and including the post-dominator
///    are simple and in groups without a complex node;
///  - it holds simple nodes only, and all nodes on the way are simple, without a complex node in
///    their groups; the post-dominator itself may be a reduction, or lie in a group with a
///    complex node;
///  - both are movements, and so is everything between them.
/// So reductions end a group, and a node whose value is an output of the graph does. All that
/// leaves a group leaves from the last of its nodes, which makes the result acyclic.
std::vector<std::uint32_t>
fixedPatternGroups(const Graph &graph, std::span<const OperatorClass> classes, Movements movements);

} // namespace graphloom
