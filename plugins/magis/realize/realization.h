// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/simulation/simulation.h"

namespace graphloom::magis {

/// A state of the search as a graph that runs anywhere: parts are nodes of their own, what is
/// computed again is there twice, and the order of the nodes is the schedule.
struct Realized {
    /// What a node of the graph is for.
    enum class Role : std::uint8_t {
        Call,  // does what the original node does, or a part of it
        Slice, // takes a part of a tensor
        Join,  // puts the parts of a tensor together (Concat)
        Gather // adds a part of a sum (of a product, a maximum) to those before it
    };
    struct Origin {
        NodeId node; // of the original graph: the call, or the producer of what is cut or joined
        Role role = Role::Call;
        std::vector<std::pair<int, int>> parts; // part k of n, of the outermost fission first
        bool again = false;                     // a repetition
        int run = -1;                           // in the trace; -1: of none
        bool adds = false; // a Call that adds its part to the sum of those before, its last input
    };
    /// A tensor that is away between two uses. ONNX has no node for that.
    struct Swap {
        TensorId tensor;
        NodeId loadedBefore;
        /// Runs of the trace: the last one that it is there in before, since its store takes that
        /// long, and the first one that it is there in again, since its load does.
        int leaves = -1, returns = 0;
        int leavesLater = -1; // as `leaves`, in other parts than the first (Trace::Life)
    };

    Graph graph;                 // with the inputs, outputs and weights of the original
    std::vector<Origin> origins; // by node id
    std::vector<Swap> swaps;
    std::vector<TensorId> originals; // by tensor id: the tensor of which it is a version or a part
};

/// Makes the graph of a state. Tensors keep their names where they are whole and computed once;
/// others are named "<name>.part2of4", "<name>.again". Every tensor that is cut is sliced for each
/// part; where windows overlap, nodes inside give more than a part, and those that read them take
/// what they need. Fails (Model) naming a node that cannot be computed in parts (callPart()).
Result<Realized> realized(const MemoryGraph &memory, FissionTable &table,
                          const Arrangement &arrangement, const Trace &trace, const Opsets &opsets);

} // namespace graphloom::magis
