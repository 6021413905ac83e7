// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"
#include "engine/ir/opsets.h"
#include "engine/plan/partition.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Tells which tensors of a graph are in memory, and when, while its nodes run one after the other:
/// each from the step that computes it to the last one that reads it. Modelled from shapes alone:
/// - a node that passes its input on (Reshape, Identity) takes neither step nor memory: its result
///   is a view;
/// - a step that reads an element at the place that it writes may take over the memory of an input
///   that is not read later; that memory counts once;
/// - an optimizer's update takes the place of its weight or state;
/// - inputs are in memory from the start, outputs to the end, weights always.
/// Workspaces of kernels, margins and other layouts are not counted.
struct LiveTensors {
    /// Counts the steps in the order in which they run.
    using StepIndex = TypedIndex<struct LiveStepTag>;
    /// Counts the lives.
    using LifeIndex = TypedIndex<struct LiveLifeTag>;

    /// Describes one step: a node, or a block of nodes that is one kernel.
    struct Step {
        std::vector<NodeId> nodes; // in their order, with views
        std::int64_t bytes = 0;    // live during the step, with weights
    };
    /// Describes the live range and memory of a tensor and its views.
    struct Life {
        TensorId tensor;
        std::vector<TensorId> views; // the views, without the tensor itself
        NodeId producer, lastReader; // invalid: live from the start; never read
        StepIndex first{0}, last{0};
        std::int64_t bytes = 0;  // 0 for a tensor in the place of a weight
        std::int64_t offset = 0; // in the arena
        LifeIndex takesOver;     // the life whose memory it takes over at `first`
        bool output = false;     // an output of the graph, which is live to the end
    };
    struct Weight {
        TensorId tensor;
        std::int64_t bytes = 0;
    };

    IndexedVector<StepIndex, Step> steps;
    IndexedVector<LifeIndex, Life> lives; // inputs first, then as they are computed
    std::vector<Weight> weights;
    std::int64_t residentBytes = 0;         // of all weights
    std::int64_t peakBytes = 0;             // the maximum over all steps
    StepIndex peakStep{0};                  // the first step with this peak
    std::optional<std::int64_t> arenaBytes; // of an arena for all lives; empty: not planned
    /// Tensors that are not counted, since their extents are symbolic or known only at run time.
    std::vector<TensorId> unsized;
};

struct LiveTensorOptions {
    /// The blocks, in a topological order. Each block is one step, and tensors that are read only
    /// inside it are never in memory. Null: each node is a step.
    const Partition *blocks = nullptr;
    /// Plans offsets in an arena; this takes time quadratic in the number of lives.
    bool arena = true;
    std::stop_token stop = {};
};

/// Returns the live tensors of a graph; returns nothing if stopped.
std::optional<LiveTensors> liveTensorsOf(const Graph &graph, const Opsets &opsets,
                                         const LiveTensorOptions &options = {});

} // namespace graphloom
