// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/plan/partition.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Which tensors of a graph are in memory, and when, while its nodes run one after the other: each
/// from the step that computes it to the last one that reads it. Modelled from shapes alone:
/// - a node that hands its input on (Reshape, Identity) takes neither step nor memory: what it
///   gives is a view;
/// - a step that reads an element at the place that it writes may take over the memory of an
///   input that nothing reads any more; it counts once;
/// - an optimizer's update takes the place of its weight or state;
/// - inputs are there from the start, outputs to the end, weights always.
/// Workspaces of kernels, margins and other layouts are not counted.
struct LiveTensors {
    /// A node, or a block of them that is one kernel.
    struct Step {
        std::vector<NodeId> nodes; // in their order, with the views among them
        std::int64_t bytes = 0;    // alive meanwhile, with weights
    };
    /// What a tensor and its views have of memory.
    struct Life {
        TensorId tensor;
        std::vector<TensorId> views;       // without the tensor itself
        NodeId producer, lastReader;       // not valid: there from the start; read by nobody
        std::uint32_t first = 0, last = 0; // steps
        std::int64_t bytes = 0;            // 0 for what is in the place of a weight
        std::int64_t offset = 0;           // in the arena
        int takesOver = -1;                // the life whose memory it takes over at `first`
        bool output = false;               // of the graph: it is there at the end
    };
    struct Weight {
        TensorId tensor;
        std::int64_t bytes = 0;
    };

    std::vector<Step> steps;
    std::vector<Life> lives; // inputs first, then as they are computed
    std::vector<Weight> weights;
    std::int64_t residentBytes = 0;         // of all weights
    std::int64_t peakBytes = 0;             // the most of all steps
    std::uint32_t peakStep = 0;             // the first that has them
    std::optional<std::int64_t> arenaBytes; // an arena for all lives; none: it was not planned
    /// Not counted: only the running model tells their extents, or a symbol does.
    std::vector<TensorId> unsized;
};

struct LiveTensorOptions {
    /// Each is one step, and what only its own nodes read is never in memory; in a topological
    /// order. Null: each node is a step.
    const Partition *blocks = nullptr;
    /// Offsets in an arena; takes time that grows with the square of the number of lives.
    bool arena = true;
    std::stop_token stop = {};
};

/// None when stopped.
std::optional<LiveTensors> liveTensorsOf(const Graph &graph, const Opsets &opsets,
                                         const LiveTensorOptions &options = {});

} // namespace graphloom
