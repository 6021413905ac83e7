// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/weights.h"

#include "engine/ops/operator_table.h"

#include <limits>

namespace graphloom::ago {

Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         double symbolicExtent)
{
    std::vector<NodeTraits> traits;
    traits.reserve(graph.nodeCount());
    for (const NodeId id : graph.order()) {
        const Node &call = graph.node(id);
        const auto description = describe(graph, id, opsets);
        if (!description)
            return tl::unexpected(description.error());
        std::vector<bool> constantInputs;
        for (const TensorId input : call.inputs)
            constantInputs.push_back(input.valid() && graph.tensor(input).constant);
        NodeTraits &node = traits.emplace_back();
        node.known = findOperator(call.domain, call.op, opsets(call.domain)) != nullptr;
        node.operatorClass = classOf(*description, constantInputs);
        node.loopProduct = tuningWeight(*description, 1, 0, symbolicExtent);
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

WeightedDag withBarriers(WeightedDag dag, std::span<const NodeTraits> traits)
{
    for (std::size_t i = 0; i < traits.size(); ++i)
        if (!traits[i].known)
            dag.weights[i] = std::numeric_limits<double>::infinity();
    return dag;
}

} // namespace graphloom::ago
