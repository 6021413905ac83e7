// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "plugins/magis/rules/graph_rule.h"
#include "tests/support/sketch.h"

#include <QString>

#include <algorithm>

/// Merges on graphs, and that they compute the same.
namespace graphloom::test {

using magis::GraphChange;
using magis::GraphRule;
using magis::RuleSite;
using magis::UsesRule;

/// Weights that are others each time.
inline TensorId weight(Sketch &s, const TensorData::Extents &extents)
{
    static std::uint64_t seed = 100;
    return s.constant(*randomTensor(DataType::Float, extents, ++seed));
}

inline const GraphRule &ruleOf(std::string_view name)
{
    const auto found = std::ranges::find(magis::mergeRules(), name, &GraphRule::name);
    if (found == magis::mergeRules().end())
        qFatal("no such rule");
    return *found;
}

inline std::vector<RuleSite> sitesOf(
    std::string_view rule, const Graph &graph, const Opsets &opsets,
    const UsesRule &uses = [](std::string_view) { return true; })
{
    return ruleOf(rule).find(graph, opsets, uses);
}

/// The graph after a change.
inline Graph changed(const Graph &graph, const Opsets &opsets,
                     const std::function<void(GraphChange &)> &apply,
                     std::span<const TensorId> variables = {})
{
    GraphChange change(graph, opsets, variables);
    apply(change);
    auto result = std::move(change).finish();
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

/// The operators of a graph in its order: "MatMul Split".
inline QString operatorsOf(const Graph &graph)
{
    QString text;
    for (const NodeId id : graph.order())
        text += (text.isEmpty() ? "" : " ") + QString::fromStdString(graph.node(id).op);
    return text;
}

/// What differs between the results of two graphs on the same inputs; "" if nothing.
inline QString difference(const Graph &before, const Graph &after, const Opsets &opsets,
                          const std::vector<TensorData> &inputs, double tolerance)
{
    const auto expected = interpret(before, opsets, inputs);
    const auto actual = interpret(after, opsets, inputs);
    for (const auto *result : {&expected, &actual})
        if (!*result)
            return QString::fromStdString(result->error().text());
    if (expected->size() != actual->size() || before.outputs().size() != after.outputs().size())
        return "other outputs";
    for (std::size_t k = 0; k < expected->size(); ++k) {
        const Comparison comparison = compare((*expected)[k], (*actual)[k]);
        if (comparison.maxRelError > tolerance)
            return QString("output %1: %2").arg(k).arg(QString::fromStdString(comparison.worst));
        if (comparison.finite == 0)
            return QString("output %1 has no numbers").arg(k);
        if (before.tensor(before.outputs()[k]).name != after.tensor(after.outputs()[k]).name)
            return QString("output %1 has another name").arg(k);
    }
    return {};
}
/// The same on random inputs.
inline QString difference(const Graph &before, const Graph &after, const Opsets &opsets,
                          double tolerance = 1e-4)
{
    const auto inputs = randomInputs(before, 11);
    return inputs ? difference(before, after, opsets, *inputs, tolerance)
                  : QString::fromStdString(inputs.error().text());
}

} // namespace graphloom::test
