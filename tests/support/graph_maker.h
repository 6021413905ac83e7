// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "tests/support/numbers.h"

#include <QtGlobal>

#include <string>
#include <utility>
#include <vector>

namespace graphloom::test {

/// Returns a tensor whose elements are all equal.
inline TensorData splat(float value, TensorData::Extents extents)
{
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return TensorData::splat(DataType::Float, std::move(extents), {bytes.begin(), bytes.end()});
}

/// Makes a graph that is written down node by node. Inputs and results of nodes have one type.
class GraphMaker {
public:
    explicit GraphMaker(DataType type = DataType::Float) : m_type(type) {}

    TensorId input(const std::string &name, Shape shape)
    {
        const TensorId id = value(name, std::move(shape));
        m_inputs.push_back(id);
        editor.setInputs(m_inputs);
        return id;
    }
    /// Adds a tensor that a nested graph captures from the graph around it.
    TensorId captured(const std::string &name, Shape shape)
    {
        const TensorId id = value(name, std::move(shape));
        m_captured.push_back(id);
        editor.setCaptured(m_captured);
        return id;
    }
    TensorId constant(const std::string &name, TensorData data)
    {
        return editor.addTensor(Tensor::of(name, std::move(data)));
    }
    /// Adds a node with one output; `op` may be qualified: "com.example.Op".
    TensorId call(const std::string &op, std::vector<TensorId> inputs, Shape shape,
                  std::vector<Attribute> attributes = {}, std::vector<TensorId> captures = {})
    {
        const auto dot = op.rfind('.');
        Node node;
        node.domain = dot == std::string::npos ? "" : op.substr(0, dot);
        node.op = dot == std::string::npos ? op : op.substr(dot + 1);
        node.name = node.op;
        node.inputs = std::move(inputs);
        const TensorId output =
            value(node.op + std::to_string(editor.graph().tensorBound()), std::move(shape));
        node.outputs = {output};
        node.attributes = Attributes(std::move(attributes));
        node.captures = std::move(captures);
        nodes.push_back(editor.addNode(std::move(node)));
        return output;
    }
    Graph finish(std::vector<TensorId> outputs)
    {
        editor.setOutputs(std::move(outputs));
        auto graph = std::move(editor).finish();
        if (!graph)
            qFatal("%s", graph.error().text().c_str());
        return *std::move(graph);
    }

    GraphEditor editor;
    std::vector<NodeId> nodes; // in the order of the calls

private:
    TensorId value(std::string name, Shape shape)
    {
        Tensor tensor;
        tensor.name = std::move(name);
        tensor.type = m_type;
        tensor.shape = std::move(shape);
        return editor.addTensor(std::move(tensor));
    }
    const DataType m_type;
    std::vector<TensorId> m_inputs, m_captured;
};

} // namespace graphloom::test
