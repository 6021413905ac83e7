// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <string>
#include <vector>

namespace graphloom::test {

/// Holds an input of an operator call under test: a shape, or a constant.
struct Given {
    Given(Shape s, DataType t = DataType::Float) : shape(std::move(s)), type(t) {}
    Given(TensorData data)
        : type(data.type()), constant(std::make_shared<const TensorData>(std::move(data)))
    {
        shape.assign(constant->extents().begin(), constant->extents().end());
    }
    /// Returns a constant whose elements do not matter.
    static Given weights(std::vector<std::int64_t> extents)
    {
        return Given(
            TensorData::splat(DataType::Float, std::move(extents), std::vector<std::byte>(4)));
    }
    static Given integers(std::vector<std::int64_t> values)
    {
        return Given(TensorData::fromInt64s(values));
    }

    Shape shape;
    DataType type = DataType::Float;
    std::shared_ptr<const TensorData> constant;
};

/// Holds one operator call with its description.
class OperatorCase {
public:
    OperatorCase(std::string op, std::vector<Given> inputs, std::vector<Attribute> attributes = {},
                 int outputs = 1, std::int64_t opset = normalOpset())
        : m_opset(opset)
    {
        m_node.op = std::move(op);
        m_node.name = "under test";
        m_node.attributes = Attributes(std::move(attributes));
        for (int k = 0; k < outputs; ++k)
            m_node.outputs.push_back(TensorId{std::uint32_t(100 + k)});
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            Tensor tensor;
            tensor.name = "in" + std::to_string(i);
            tensor.type = inputs[i].type;
            tensor.shape = inputs[i].shape;
            tensor.constant = inputs[i].constant;
            m_tensors.push_back(std::move(tensor));
            m_node.inputs.push_back(TensorId{std::uint32_t(i)});
        }
    }
    OperatorCase(const OperatorCase &) = delete;

    static std::int64_t normalOpset() { return 17; }

    Call call() const
    {
        std::vector<const Tensor *> pointers;
        for (const Tensor &tensor : m_tensors)
            pointers.push_back(&tensor);
        return Call(m_node, std::move(pointers), m_opset);
    }
    Result<Description> describe() const { return graphloom::describe(call()); }
    /// Returns the description; requires that the call can be described.
    Description description() const { return *describe(); }
    std::vector<bool> constants() const
    {
        std::vector<bool> flags;
        for (const Tensor &tensor : m_tensors)
            flags.push_back(tensor.constant != nullptr);
        return flags;
    }
    MappingType mapping() const { return mappingType(description(), constants()); }
    std::string shape(int output = 0) const
    {
        const auto described = describe();
        if (!described)
            return described.error().text();
        const auto &value = described->values[std::size_t(output)];
        return value.shape ? text(*value.shape) : "unknown: " + described->opaque;
    }

private:
    Node m_node;
    std::vector<Tensor> m_tensors;
    std::int64_t m_opset;
};

} // namespace graphloom::test
