// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/weights.h"

#include <cmath>

namespace graphloom::ago {

namespace {

/// tuningWeight() of engine/ops/analysis.h with slope 1 and bias 0, and another base of the
/// logarithms than 2.
double loopProductOf(const Description &description, const LoopMeasure &measure)
{
    double sum = 0;
    for (const auto &loops : loopExtents(description)) {
        double product = loops.empty() ? 0 : 1;
        for (const Dim &extent : loops) {
            const double size =
                extent.isConstant() ? double(extent.value()) : measure.symbolicExtent;
            product *= size > 1 ? std::log(size) / std::log(measure.logBase) : 0;
        }
        sum += product;
    }
    return sum;
}

} // namespace

Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         const LoopMeasure &measure)
{
    std::vector<NodeTraits> traits;
    traits.reserve(graph.nodeCount());
    for (const NodeId id : graph.order()) {
        const auto description = describe(graph, id, opsets);
        if (!description)
            return tl::unexpected(description.error());
        std::vector<bool> constantInputs;
        for (const TensorId input : graph.node(id).inputs)
            constantInputs.push_back(input.valid() && graph.tensor(input).constant);
        NodeTraits &node = traits.emplace_back();
        node.operatorClass = classOf(*description, constantInputs);
        if (!description->isOpaque())
            node.loopProduct = loopProductOf(*description, measure);
    }
    return traits;
}

WeightedDag weightedDagOf(const Graph &graph, std::span<const NodeTraits> traits, double slope,
                          double bias)
{
    WeightedDag dag;
    dag.weights.reserve(traits.size());
    dag.successors.reserve(traits.size());
    for (const NodeId id : graph.order()) {
        dag.weights.push_back(slope * traits[dag.weights.size()].loopProduct + bias);
        auto &successors = dag.successors.emplace_back();
        for (const NodeId next : graph.successors(id))
            successors.push_back(graph.position(next));
    }
    return dag;
}

} // namespace graphloom::ago
