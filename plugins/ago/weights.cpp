// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/weights.h"

#include "engine/base/steps.h"
#include "engine/ir/opsets.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom::ago {

double loopProduct(const Description &description, double symbolicExtent)
{
    double sum = 0;
    for (const auto &loops : loopExtents(description)) {
        double product = loops.empty() ? 0 : 1;
        for (const Dim &extent : loops) {
            const double size = extent.isConstant() ? double(extent.value()) : symbolicExtent;
            product *= size > 1 ? std::log2(size) : 0;
        }
        sum += product;
    }
    return sum;
}

Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         double symbolicExtent, const std::stop_token &stop)
{
    std::vector<NodeTraits> traits;
    traits.reserve(graph.nodeCount());
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        const Node &call = graph.node(id);
        GL_TRY_CONST(description, describe(graph, id, opsets));
        std::vector<bool> constantInputs;
        for (const TensorId input : call.inputs)
            constantInputs.push_back(input.valid() && graph.tensor(input).constant);
        NodeTraits &node = traits.emplace_back();
        node.known = findOperator(call.domain, call.op, opsets(call.domain)) != nullptr;
        node.operatorClass = classOf(*description, constantInputs);
        node.loopProduct = loopProduct(*description, symbolicExtent);
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
        dag.weights.push_back(tuningWeight(traits[dag.weights.size()].loopProduct, slope, bias));
        auto &successors = dag.successors.emplace_back();
        for (const NodeId next : graph.successors(id))
            successors.push_back(graph.position(next));
    }
    return dag;
}

WeightedDag contractedDag(const WeightedDag &dag, std::span<const std::uint32_t> units)
{
    WeightedDag result;
    result.weights.resize(units.size(), 0);
    result.successors.resize(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        result.weights[units[i]] += dag.weights[i];
        for (const std::uint32_t next : dag.successors[i])
            if (units[next] != units[i])
                result.successors[units[i]].push_back(units[next]);
    }
    for (auto &successors : result.successors) {
        std::ranges::sort(successors);
        successors.erase(std::ranges::unique(successors).begin(), successors.end());
    }
    return result;
}

WeightedDag withBarriers(WeightedDag dag, std::span<const NodeTraits> traits,
                         const std::vector<bool> &complete)
{
    for (std::size_t i = 0; i < traits.size(); ++i)
        if (!traits[i].known || complete[i])
            dag.weights[i] = std::numeric_limits<double>::infinity();
    return dag;
}

} // namespace graphloom::ago
