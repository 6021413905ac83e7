// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/derive/mapping_type.h"

#include <span>
#include <vector>

namespace graphloom {

/// Tells how fixed patterns treat movements (reorganize, shuffle, expand, gather).
enum class Movements {
    Alone,     // fused only with one another, as AGO section VI describes Relay
    Injective, // like simple operators, but not after a contraction: TVM's own classes
};

/// Fuses by fixed patterns, like the operator fusion of TVM's Relay (FuseOps), with which AGO
/// section VI compares, and DNNFusion's OurB+ (section 5). Returns a group number for every node by
/// position, and takes the nodes' classes by position.
///
/// Nodes are *complex* (contractions: convolution, matrix product), *simple* (elementwise, with or
/// without broadcast), *reductions* (any other reduction or window), *movements* or opaque. In
/// topological order, a node's group is fused with its immediate post-dominator, the next node
/// through which all that is computed from it flows, if
///  - it holds a complex node, and all nodes on the paths up to and including the post-dominator
///    are simple and in groups without a complex node;
///  - it holds simple nodes only, and all nodes on the way are simple, without a complex node in
///    their groups; the post-dominator itself may be a reduction, or lie in a group with a
///    complex node;
///  - both are movements, and so is everything between them.
/// Thus reductions end a group, and so does a node whose value is an output of the graph. All
/// values that leave a group leave it from its last node, which makes the result acyclic.
std::vector<std::uint32_t>
fixedPatternGroups(const Graph &graph, std::span<const OperatorClass> classes, Movements movements);

} // namespace graphloom
