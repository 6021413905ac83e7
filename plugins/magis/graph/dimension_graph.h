// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/graph/memory_graph.h"

namespace graphloom::magis {

/// Counts the nodes that have a dimension, in the graph's order.
using DimensionPlace = TypedIndex<struct DimensionPlaceTag>;

/// Describes a dimension that runs through a graph: a part of MAGIS' D-Graph (section 4.1) in which
/// every node and every tensor has at most one dimension, as constraint 3 of section 4.2 requires.
struct GraphDimension {
    std::vector<int> splitOf; // by node id: which of the node's splits; -1: it does not have it
    std::vector<int> dimOf;   // by tensor id: the dimension that is cut; -1: none
    IndexedVector<DimensionPlace, NodeId> nodes; // that have it, in the graph's order
    TensorId seed; // the tensor and its dimension from which it was followed
    int seedDim = 0;
    bool halos = false; // it goes through sliding windows

    bool has(NodeId node) const { return splitOf[node.index] >= 0; }
};

/// Follows a dimension of a tensor along shared axes, up- and downstream, to all nodes that it
/// reaches. If it reaches a node or tensor in a second dimension (a matrix of scores has the
/// sequence twice), the first one stays. With `halos` it goes through sliding windows (an extension
/// of the paper).
GraphDimension dimensionThrough(const MemoryGraph &memory, TensorId tensor, int dim, bool halos);

/// Returns the dimensions of the given tensors, each once, those of large tensors first.
std::vector<GraphDimension> dimensionsThrough(const MemoryGraph &memory,
                                              std::span<const TensorId> tensors, bool halos);

} // namespace graphloom::magis
