// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/constant_nodes.h"

#include "engine/ir/dim.h"
#include "engine/onnx/files/element_count.h"
#include "engine/onnx/nodes/attribute_reader.h"
#include "engine/onnx/nodes/function_library.h"

#include <algorithm>

namespace graphloom {

namespace {

TensorData stringTensor(TensorData::Extents extents, std::vector<std::string> strings)
{
    return TensorData::fromStrings(std::move(extents), std::move(strings));
}

} // namespace

bool isConstantNode(const onnx::NodeProto &node)
{
    return node.op_type() == "Constant" && normalDomain(node.domain()).empty();
}

Result<TensorData> constantValue(std::span<const GivenAttribute> attributes, TensorReader &tensors)
{
    if (attributes.size() != 1)
        return fail(Error::Kind::Model, "needs exactly one attribute with its value");
    const std::string_view name = attributes[0].name;
    const onnx::AttributeProto &value = *attributes[0].value;
    using Proto = onnx::AttributeProto;
    GL_TRY_CONST(kind, kindOf(value));
    if (name == "value" && *kind == Proto::TENSOR)
        return tensors.read(value.t());
    if (name == "sparse_value" && *kind == Proto::SPARSE_TENSOR)
        return tensors.readSparse(value.sparse_tensor());
    if (name == "value_float" && *kind == Proto::FLOAT) {
        const float number = value.f();
        return TensorData::fromValues<float>(DataType::Float, {}, {&number, 1});
    }
    if (name == "value_floats" && *kind == Proto::FLOATS)
        return TensorData::fromValues<float>(
            DataType::Float, {value.floats_size()},
            {value.floats().data(), std::size_t(value.floats_size())});
    if (name == "value_int" && *kind == Proto::INT)
        return TensorData::scalar(value.i());
    if (name == "value_ints" && *kind == Proto::INTS)
        return TensorData::fromInt64s({value.ints().begin(), value.ints().end()});
    if (name == "value_string" && *kind == Proto::STRING)
        return stringTensor({}, {value.s()});
    if (name == "value_strings" && *kind == Proto::STRINGS)
        return stringTensor({value.strings_size()},
                            {value.strings().begin(), value.strings().end()});
    return fail(Error::Kind::Model, "attribute \"" + std::string(name) +
                                        "\" cannot have a value of type " + nameOf(*kind));
}

bool isConstantFill(const Node &node)
{
    return node.domain.empty() && node.op == "ConstantOfShape" && node.outputs.size() == 1 &&
           node.outputs[0].valid();
}

Result<TensorData> filledConstant(const Node &node, const TensorData &shape)
{
    if (shape.type() != DataType::Int64 || shape.extents().size() != 1)
        return fail(Error::Kind::Model, "needs a list of int64 as its shape");
    if (std::uint64_t(shape.elements()) > highestRank) // before they are listed
        return fail(Error::Kind::Model, "has " + std::to_string(shape.elements()) +
                                            " dimensions; at most " + std::to_string(highestRank) +
                                            " are supported");
    auto extents = shape.integers();
    GL_TRY_CONST(elements, countElements(extents));
    const TensorData *value = node.attributes.tensor("value");
    if (value && (value->elements() != 1 || value->type() == DataType::String))
        return fail(Error::Kind::Model, "needs a single number as its value");
    const DataType type = value ? value->type() : DataType::Float;
    std::vector<std::byte> element(std::size_t(bitsOf(type) + 7) / 8);
    if (value)
        std::ranges::copy(value->bytes(), element.begin());
    // Small constants are stored in full, like those of initializers.
    if (bytesOf(type, std::uint64_t(*elements)) >= leastSplat || bitsOf(type) < 8)
        return TensorData::splat(type, std::move(extents), std::move(element));
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < *elements; ++i)
        bytes.insert(bytes.end(), element.begin(), element.end());
    return TensorData::fromBytes(type, std::move(extents), std::move(bytes));
}

} // namespace graphloom
