// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"
#include "tests/support/graph_maker.h"

namespace graphloom::test {

/// Returns a plan of a graph in which each node is a kernel of its own.
inline Plan unfusedPlanOf(Graph graph)
{
    auto model = std::make_shared<Model>();
    model->graph = std::move(graph);
    model->opsets = {{"", normalOpset}};
    Plan plan;
    plan.graph = plan.original = model->graph;
    plan.model = std::move(model);
    return plan;
}

/// Returns a tensor whose elements differ.
inline TensorData numbered(TensorData::Extents extents)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(float(i % 7) / 4 - 0.6F);
    return TensorData::fromValues<float>(DataType::Float, std::move(extents), values);
}

/// Returns a network of two convolutions with margins, of which one reads the input, and a sum,
/// with two outputs; a third one that only the interpreter computes if wanted.
inline Plan smallNetwork(bool withDeterminant = false)
{
    GraphMaker maker;
    const Shape shape = {Dim(1), Dim(8), Dim(9), Dim(9)};
    const std::vector<Attribute> same = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
    const TensorId x = maker.input("x", {Dim(1), Dim(3), Dim(9), Dim(9)});
    const TensorId y = maker.input("the \"second\" input?", shape);
    const TensorId a = maker.constant("a", numbered({8, 3, 3, 3}));
    const TensorId b = maker.constant("b", numbered({8, 8, 3, 3}));
    const TensorId first = maker.call("Conv", {x, a}, shape, same);
    const TensorId relu = maker.call("Relu", {first}, shape);
    const TensorId second = maker.call("Conv", {relu, b}, shape, same);
    const TensorId sum = maker.call("Add", {second, y}, shape);
    std::vector<TensorId> outputs = {sum, relu};
    if (withDeterminant)
        outputs.push_back(maker.call("Det", {sum}, {Dim(1), Dim(8)}));
    return unfusedPlanOf(maker.finish(outputs));
}

} // namespace graphloom::test
