// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Contains functions that make nodes, tensors and small graphs whose operators do not matter.
namespace graphloom::test {

inline Node nodeOf(std::string op, std::vector<TensorId> inputs, std::vector<TensorId> outputs)
{
    Node node;
    node.name = op;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return node;
}

inline Tensor named(std::string name)
{
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = DataType::Float;
    return tensor;
}

inline Tensor constantOf(std::string name, std::int64_t value)
{
    return Tensor::of(std::move(name), TensorData::fromInt64s({value}));
}

/// Returns the number of nodes with an operator.
inline int countOf(const Graph &graph, std::string_view op)
{
    return int(
        std::ranges::count_if(graph.order(), [&](NodeId id) { return graph.node(id).op == op; }));
}

/// Holds the graph x -> A -> a -> B -> b (output).
struct Chain {
    TensorId x, a, b;
    NodeId first, second;
    Graph graph;

    Chain()
    {
        GraphEditor editor;
        x = editor.addTensor(named("x"));
        a = editor.addTensor(named("a"));
        b = editor.addTensor(named("b"));
        editor.setInputs({x});
        first = editor.addNode(nodeOf("A", {x}, {a}));
        second = editor.addNode(nodeOf("B", {a}, {b}));
        editor.setOutputs({b});
        graph = *std::move(editor).finish();
    }
};

} // namespace graphloom::test
