// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/random.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/attribute.h"
#include "tests/support/graph_maker.h"

namespace graphloom::test {

/// Returns the opset that sketches use.
inline std::int64_t sketchOpset(std::string_view)
{
    return 17;
}

/// Makes a graph of float tensors written down call by call; shapes come from the operator table.
class Sketch {
public:
    TensorId input(const std::string &name, Shape shape)
    {
        return m_maker.input(name, std::move(shape));
    }
    /// Adds a constant whose elements are all equal.
    TensorId weight(TensorData::Extents extents, float value = 0.5f)
    {
        return m_maker.constant("w" + std::to_string(m_maker.editor.graph().tensorBound()),
                                test::splat(value, std::move(extents)));
    }
    /// Adds a constant with random elements, which depend on the extents alone.
    TensorId randomWeight(const TensorData::Extents &extents)
    {
        return constant(*randomTensor(DataType::Float, extents, std::uint64_t(extents.front())));
    }
    TensorId constant(TensorData data)
    {
        return m_maker.constant("c" + std::to_string(m_maker.editor.graph().tensorBound()),
                                std::move(data));
    }
    TensorId number(float value) { return constant(test::floats({}, {value})); }
    TensorId integers(const std::vector<std::int64_t> &values)
    {
        return constant(TensorData::fromInt64s(values));
    }
    TensorId call(const std::string &op, std::vector<TensorId> inputs,
                  std::vector<Attribute> attributes = {})
    {
        const TensorId output = m_maker.call(op, std::move(inputs), {}, std::move(attributes));
        Tensor open = m_maker.editor.graph().tensor(output);
        open.shape.reset();
        m_maker.editor.setTensor(output, std::move(open));
        return output;
    }
    /// Adds a call with several outputs.
    std::vector<TensorId> calls(const std::string &op, std::vector<TensorId> inputs,
                                std::vector<Attribute> attributes, std::size_t outputs)
    {
        Node node;
        node.op = node.name = op;
        node.inputs = std::move(inputs);
        node.attributes = Attributes(std::move(attributes));
        for (std::size_t k = 0; k < outputs; ++k) {
            Tensor open;
            open.name = op + std::to_string(m_maker.editor.graph().tensorBound());
            open.type = DataType::Float;
            node.outputs.push_back(m_maker.editor.addTensor(std::move(open)));
        }
        const std::vector<TensorId> results = node.outputs;
        m_maker.nodes.push_back(m_maker.editor.addNode(std::move(node)));
        return results;
    }
    /// Adds a 3x3 convolution, padded to keep the extents.
    TensorId conv(TensorId x, std::int64_t from, std::int64_t to)
    {
        return call("Conv", {x, weight({to, from, 3, 3})}, {ints("pads", {1, 1, 1, 1})});
    }
    Graph finish(std::vector<TensorId> outputs)
    {
        auto inferred = inferShapes(m_maker.finish(std::move(outputs)), sketchOpset);
        if (!inferred)
            qFatal("%s", inferred.error().text().c_str());
        return std::move(inferred->graph);
    }
    /// Returns the nodes in the order of the calls.
    const std::vector<NodeId> &nodes() const { return m_maker.nodes; }

private:
    test::GraphMaker m_maker;
};

} // namespace graphloom::test
