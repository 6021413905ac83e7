// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"

namespace graphloom::test {

/// Four times a depthwise convolution with a pointwise one after it, of the same shapes: rows of
/// both can be computed in the same loop. The first reads, and the last writes, what is in another
/// order; the other two have equal kernels.
inline Graph separableConvolutions()
{
    Sketch g;
    TensorId x = g.input("x", {1, 16, 12, 12});
    for (int i = 0; i < 4; ++i) {
        x = g.call("Conv", {x, g.randomWeight({16, 1, 3, 3})},
                   {ints("pads", {1, 1, 1, 1}), integer("group", 16)});
        x = g.call("Conv", {x, g.randomWeight({16, 16, 1, 1})});
        x = g.call("Relu", {x});
    }
    return g.finish({x});
}

using NodeBlocks = std::vector<std::vector<NodeId>>;

/// Returns a plan for a graph with the blocks, or with each node by itself, that the tuner may
/// change.
inline Plan
reformablePlan(Graph of, const std::optional<NodeBlocks> &blocks = {},
               BlockLimits::Contractions contractions = BlockLimits::Contractions::Intensive,
               bool locked = false)
{
    Plan plan = *initialPlan(modelOf(std::move(of)));
    BlockLimits limits;
    limits.contractions = contractions;
    const auto facts =
        FusionFacts::of(plan.graph, opsetsOf(*plan.model), limits, *plannedDevice(plan));
    BlockGraph graph(plan.graph);
    BlockMarks marks;
    for (const std::vector<NodeId> &block : blocks.value_or(NodeBlocks())) {
        for (const NodeId id : block)
            if (graph.blockOf(id) != graph.blockOf(block.front()))
                graph.merge(graph.blockOf(block.front()), graph.blockOf(id));
        marks[graph.blockOf(block.front())].locked = locked;
    }
    FusionPlan fusion = planOf((*facts)->merger(), graph, "test", marks);
    fusion.tuning.reforms = true;
    plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
    return plan;
}

/// Returns such a plan for these convolutions.
inline Plan
separablePlan(const std::optional<NodeBlocks> &blocks = {},
              BlockLimits::Contractions contractions = BlockLimits::Contractions::Intensive,
              bool locked = false)
{
    return reformablePlan(separableConvolutions(), blocks, contractions, locked);
}

} // namespace graphloom::test
