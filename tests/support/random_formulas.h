// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/infer.h"
#include "engine/rewrite/terms/builder.h"
#include "tests/support/random_graph.h"

#include <QtGlobal>

#include <string>
#include <vector>

namespace graphloom::test {

/// Returns a graph of operators with algebraic properties over double tensors of 3 x 4 elements, or
/// smaller ones that are broadcast, with enough equal operators and operands for rules to match.
/// Every tensor that nobody reads is an output.
inline Graph randomFormulas(Random &random, int nodes)
{
    GraphEditor editor;
    std::vector<TensorId> values;
    const std::vector<Shape> shapes{{3, 4}, {3, 4}, {3, 1}, {4}, {}};
    std::vector<TensorId> inputs;
    for (int i = 0; i < 4; ++i) {
        Tensor tensor;
        tensor.name = "x" + std::to_string(i);
        tensor.type = DataType::Double;
        tensor.shape = shapes[below(random, shapes.size())];
        inputs.push_back(editor.addTensor(std::move(tensor)));
    }
    editor.setInputs(inputs);
    values = inputs;
    for (const double number : {0.0, 1.0, 2.0, -0.5})
        values.push_back(editor.addTensor(Tensor::of("c", scalarData(number, DataType::Double))));
    const std::vector<std::string> unary{"Abs",  "Neg",        "Relu",    "Exp",   "Tanh",
                                         "Sqrt", "Reciprocal", "Sigmoid", "Floor", "Identity"};
    const std::vector<std::string> binary{"Add", "Mul", "Mul", "Add", "Sub", "Div", "Min", "Max"};
    const std::vector<std::string> reductions{"ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd"};
    std::vector<bool> read;
    for (int i = 0; i < nodes; ++i) {
        Node node;
        const auto any = [&] {
            const std::uint64_t near = std::min<std::uint64_t>(values.size(), 8);
            return chance(random, 0.7) ? values[values.size() - 1 - below(random, near)]
                                       : values[below(random, values.size())];
        };
        const auto kind = below(random, 10);
        if (kind < 4) {
            node.op = unary[below(random, unary.size())];
            node.inputs = {any()};
        } else if (kind < 9) {
            node.op = binary[below(random, binary.size())];
            node.inputs = {any(), any()};
        } else {
            node.op = reductions[below(random, reductions.size())];
            node.inputs = {any()};
            node.attributes = Attributes({{"keepdims", std::int64_t{1}}});
        }
        node.name = node.op + std::to_string(i);
        Tensor tensor;
        tensor.name = "t" + std::to_string(i);
        node.outputs = {editor.addTensor(std::move(tensor))};
        values.push_back(node.outputs[0]);
        editor.addNode(std::move(node));
    }
    std::vector<TensorId> outputs;
    for (const TensorId value : values)
        if (editor.graph().uses(value).empty() && editor.graph().producer(value).valid())
            outputs.push_back(value);
    editor.setOutputs(std::move(outputs));
    auto graph = std::move(editor).finish();
    auto inferred = inferShapes(*graph, [](std::string_view) { return std::int64_t{17}; });
    if (!inferred)
        qFatal("%s", inferred.error().text().c_str());
    return inferred->graph;
}

} // namespace graphloom::test
