// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/ago/weights.h"

namespace graphloom::ago {

/// The partition that AGO section VI compares with: the operator fusion of TVM's Relay (FuseOps),
/// restricted as the paper describes it (at most one complex operator per subgraph, reshapes and
/// transposes delimit). Gives a subgraph number for every node by position.
///
/// The rule. Nodes are *complex* (contractions: convolution, matrix product), *simple*
/// (elementwise, with or without broadcast), *reductions* (any other reduction or window),
/// *movements* (reorganize, shuffle, expand, gather) or opaque. In topological order, a node's
/// subgraph is fused with its immediate post-dominator, the next node through which all that is
/// computed from it flows, where
///  - it holds a complex node, and all nodes on the paths up to and including the post-dominator
///    are simple and in subgraphs without a complex node;
///  - it holds simple nodes only, and all nodes on the way are simple, without a complex node in
///    their subgraphs; the post-dominator itself may be a reduction, or lie in a subgraph with a
///    complex node;
///  - both are movements, and so is everything between them.
/// So reductions end a subgraph, and a node whose value is an output of the graph does. All
/// that leaves a subgraph leaves from the last of its nodes, which makes the result acyclic.
std::vector<std::uint32_t> relayBaseline(const Graph &graph, std::span<const NodeTraits> traits);

} // namespace graphloom::ago
