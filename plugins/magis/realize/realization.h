// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/simulation.h"

namespace graphloom::magis {

/// Counts the nodes of a realized graph, in its order.
using RealizedPosition = TypedIndex<struct RealizedPositionTag>;

/// Represents a state of the search as a graph that runs anywhere: parts are nodes of their own,
/// computations that are repeated have a second node, and the order of the nodes is the schedule.
struct Realized {
    /// Tells what a node of the graph is for.
    enum class Role : std::uint8_t {
        Call,  // does what the original node does, or a part of it
        Slice, // takes a part of a tensor
        Join,  // puts the parts of a tensor together (Concat)
        Gather // combines a part of a sum (product, maximum) with those before it
    };
    struct Origin {
        NodeId node; // of the original graph: the call, or the producer of what is cut or joined
        Role role = Role::Call;
        std::vector<std::pair<PartIndex, int>> parts; // part k of n, of the outermost fission first
        bool again = false;                           // a repetition
        RunIndex run;                                 // in the trace; invalid: of none
        bool adds = false; // a Call that adds its part to the sum so far, its last input
    };
    /// Describes a tensor that is swapped out between two uses. ONNX has no node for that.
    struct Swap {
        TensorId tensor;
        NodeId loadedBefore;
        /// Runs of the trace: the last one before which it is still in memory, since its store
        /// takes until then, and the first one for which it is in memory again, since its load
        /// takes until then.
        RunIndex leaves = {}, returns{0};
        RunIndex leavesLater = {}; // as `leaves`, in other parts than the first (Trace::Life)
    };

    Graph graph;                 // with the inputs, outputs and weights of the original
    std::vector<Origin> origins; // by node id
    std::vector<Swap> swaps;
    std::vector<TensorId> originals; // by tensor id: the tensor of which it is a version or a part
};

/// Makes the graph of a state. Tensors keep their names if they are whole and computed once; others
/// are named "<name>.part2of4" or "<name>.again". Every tensor that is cut is sliced for each part;
/// if windows overlap, nodes inside compute more than a part, and the nodes that read them take
/// what they need. Fails (Model), naming a node that cannot be computed in parts (callPart()).
Result<Realized> realized(const MemoryGraph &memory, FissionTable &table,
                          const Arrangement &arrangement, const Trace &trace, const Opsets &opsets);

} // namespace graphloom::magis
