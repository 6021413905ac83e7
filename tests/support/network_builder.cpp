// SPDX-License-Identifier: Apache-2.0
#include "tests/support/network_builder.h"

#include "engine/interpreter/random.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <QtGlobal>

#include <algorithm>

namespace graphloom::test {

void NetworkBuilder::addInput()
{
    static const std::vector<Extents> shapes{
        {1, 3, 9, 11},   {2, 8, 7, 7},  {1, 16, 5, 6}, {1, 33, 4, 4}, {3, 5}, {2, 6, 20},
        {1, 4, 5, 6, 7}, {17, 40},      {2, 3, 4, 10}, {1, 1, 13, 1}, {7},    {},
        {2, 24, 6, 1},   {1, 32, 8, 8}, {5, 1, 19}};
    Extents extents = shapes[std::size_t(pick(int(shapes.size())))];
    if (oneIn(25) && !extents.empty())
        extents[std::size_t(pick(int(extents.size())))] = 0;
    Tensor tensor;
    tensor.name = "x" + std::to_string(m_inputs.size());
    tensor.type = DataType::Float;
    tensor.shape = Shape(extents.begin(), extents.end());
    m_inputs.push_back(m_editor.addTensor(std::move(tensor)));
    m_known.push_back({m_inputs.back(), std::move(extents), true});
}

TensorId NetworkBuilder::constant(TensorData data)
{
    return m_editor.addTensor(Tensor::of("c" + std::to_string(m_names++), std::move(data)));
}
TensorId NetworkBuilder::integers(Extents values)
{
    return constant(TensorData::fromInt64s(std::move(values)));
}
TensorId NetworkBuilder::weight(const Extents &extents, double scale)
{
    const auto uniform = *randomTensor(DataType::Float, extents, m_random());
    std::vector<float> values;
    for (std::int64_t i = 0; i < uniform.elements(); ++i)
        values.push_back(float(uniform.real(i) * scale));
    return constant(TensorData::fromValues<float>(DataType::Float, extents, values));
}

bool NetworkBuilder::call(const char *op, std::vector<TensorId> inputs, List attributes, bool exact,
                          int outputs, bool keep)
{
    Node node;
    node.op = op;
    node.name = op + std::to_string(m_names++);
    node.inputs = std::move(inputs);
    node.attributes = Attributes(std::move(attributes));
    for (int k = 0; k < outputs; ++k) {
        Tensor tensor;
        tensor.name = node.name + "." + std::to_string(k);
        node.outputs.push_back(m_editor.addTensor(std::move(tensor)));
    }
    const std::vector<TensorId> results(node.outputs.begin(), node.outputs.end());
    const NodeId id = m_editor.addNode(std::move(node));
    const auto description =
        describe(m_editor.graph(), id, [this](std::string_view) { return m_opset; });
    const auto refuse = [&] {
        m_editor.removeNode(id);
        return false;
    };
    if (!description || description->isOpaque())
        return refuse();
    std::vector<Known> known;
    for (std::size_t k = 0; k < results.size(); ++k) {
        const Value &value = description->values[k];
        if (!value.shape || !isStatic(*value.shape) || *staticElements(*value.shape) > 60000)
            return refuse();
        Extents extents;
        for (const Dim &dim : *value.shape)
            extents.push_back(dim.value());
        known.push_back({results[k], std::move(extents), exact});
        Tensor tensor = m_editor.graph().tensor(results[k]);
        tensor.type = value.type;
        tensor.shape = value.shape;
        m_editor.setTensor(results[k], std::move(tensor));
    }
    m_last = results.front();
    if (keep)
        m_known.insert(m_known.end(), known.begin(), known.end());
    return true;
}

NetworkBuilder::Known NetworkBuilder::any()
{
    const std::size_t near = std::min<std::size_t>(m_known.size(), 3);
    return oneIn(4) ? m_known[below(m_random, m_known.size())]
                    : m_known[m_known.size() - 1 - below(m_random, near)];
}

TensorId NetworkBuilder::broadcastConstant(const Extents &extents)
{
    Extents shape = extents;
    for (std::int64_t &extent : shape)
        if (oneIn(2))
            extent = 1;
    while (!shape.empty() && oneIn(3))
        shape.erase(shape.begin());
    return weight(shape);
}

Graph NetworkBuilder::finish()
{
    std::vector<TensorId> outputs;
    for (const Known &known : m_known)
        if ((m_editor.graph().producer(known.id).valid() &&
             m_editor.graph().uses(known.id).empty()) ||
            oneIn(8))
            outputs.push_back(known.id);
    if (outputs.empty())
        outputs.push_back(m_known.back().id);
    m_editor.setInputs(m_inputs);
    m_editor.setOutputs(outputs);
    auto graph = std::move(m_editor).finish();
    if (!graph)
        qFatal("%s", graph.error().text().c_str());
    return *std::move(graph);
}

} // namespace graphloom::test
