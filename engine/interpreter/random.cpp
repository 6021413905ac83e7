// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/random.h"

#include "engine/base/hash.h"
#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/stages/stage_values.h"
#include "engine/ops/describe/value_type.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom {

namespace {

/// Returns a number from [-1, 1), a multiple of 2^-23, so that conversion to float is exact.
double uniform(std::uint64_t bits)
{
    return double(std::int64_t(bits >> 40)) / double(1 << 23) - 1;
}

/// Tells whether an input is read as a sum of squares, such as a variance, which is not negative.
bool isOfSquares(const Graph &graph, TensorId id)
{
    constexpr std::int64_t newest = std::numeric_limits<std::int64_t>::max();
    const auto uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use &use) {
        const Node &node = graph.node(use.node);
        const Operator *entry = findOperator(node.domain, node.op, newest);
        return entry && entry->isOfSquares && entry->isOfSquares(node, use.slot);
    });
}

TensorData magnitudes(const TensorData &data)
{
    std::vector<std::byte> bytes(data.bytes().begin(), data.bytes().end());
    const auto size = std::size_t(elementBytes(data.type()));
    for (std::int64_t i = 0; i < data.elements(); ++i)
        encodeReal(data.type(), std::abs(data.real(i)), bytes.data() + std::size_t(i) * size);
    return TensorData::fromBytes(data.type(), data.extents(), std::move(bytes));
}

} // namespace

Result<TensorData> randomTensor(DataType type, const TensorData::Extents &extents,
                                std::uint64_t seed)
{
    const Shape shape(extents.begin(), extents.end());
    const auto count = staticElements(shape);
    const bool numeric = isFloatingPoint(type) || isIntegral(type);
    if (!numeric)
        return fail(Error::Kind::Usage,
                    "cannot create random values of type " + std::string(nameOf(type)));
    const auto size = std::size_t(elementBytes(type));
    if (!count || std::uint64_t(*count) > machineMemory() / size)
        return fail(Error::Kind::Usage,
                    "a tensor of shape " + text(shape) + " does not fit into memory");
    std::vector<std::byte> bytes(std::size_t(bytesOf(type, std::uint64_t(*count))), std::byte{0});
    for (std::int64_t i = 0; i < *count; ++i) {
        const std::uint64_t bits = scramble(seed + 0x9e3779b97f4a7c15ULL * (std::uint64_t(i) + 1));
        std::byte element[8]{};
        if (isFloatingPoint(type))
            encodeReal(type, uniform(bits), element);
        else
            element[0] = std::byte(bits >> 63); // little endian
        if (bitsOf(type) == 4)
            bytes[std::size_t(i / 2)] |= (element[0] & std::byte{15}) << (i % 2 ? 4 : 0);
        else
            std::copy_n(element, size, bytes.begin() + std::ptrdiff_t(std::size_t(i) * size));
    }
    return TensorData::fromBytes(type, extents, std::move(bytes));
}

namespace {

/// Returns random data for an input that is a tensor.
Result<TensorData> randomInput(const Graph &graph, TensorId id, std::uint64_t seed)
{
    const Tensor &tensor = graph.tensor(id);
    if (!tensor.shape || !isStatic(*tensor.shape))
        return fail(Error::Kind::Usage, "has no fixed shape" +
                                            (tensor.shape ? " (" + text(*tensor.shape) + ")" : "") +
                                            "; specify one to fill it with random values");
    TensorData::Extents extents;
    for (const Dim &dim : *tensor.shape)
        extents.push_back(dim.value());
    auto data = randomTensor(tensor.type, extents, seed);
    if (data && isFloatingPoint(tensor.type) && isOfSquares(graph, id))
        return magnitudes(*data);
    return data;
}

/// Returns a random value of a type that may be a sequence or an optional.
Result<DataValue> randomValue(const std::string &type, std::uint64_t seed)
{
    constexpr std::uint64_t length = 3; // of sequences: enough for a first, an inner and a last one
    if (const auto element = valuetype::elementOfSequence(type)) {
        std::vector<DataValue> elements;
        for (std::uint64_t i = 0; i < length; ++i) {
            GL_TRY_RESULT(value, randomValue(*element, seed + scramble(i + 1)));
            elements.push_back(*std::move(value));
        }
        return DataValue::sequence(std::move(elements));
    }
    if (const auto element = valuetype::elementOfOptional(type)) {
        auto value = randomValue(*element, seed);
        return value ? Result<DataValue>(DataValue::optional(*std::move(value))) : value;
    }
    const auto element = valuetype::elementOfTensor(type);
    const auto extents = valuetype::extentsOfTensor(type);
    if (!element || !extents)
        return fail(Error::Kind::Usage,
                    "contains tensors without a fixed shape; cannot create random values for them");
    GL_TRY_RESULT(data, randomTensor(*element, *extents, seed));
    return DataValue(*std::move(data));
}

} // namespace

Result<DataValue> randomValueOf(const Graph &graph, std::size_t input, std::uint64_t seed)
{
    const TensorId id = graph.inputs()[input];
    const std::uint64_t own = scramble(seed) + scramble(input + 1);
    const std::string &type = graph.tensor(id).otherType;
    Result<DataValue> value = type.empty() ? randomInput(graph, id, own).map([](TensorData &&data) {
        return DataValue(std::move(data));
    })
                                           : randomValue(type, own);
    if (!value)
        value.error().where = "input \"" + graph.tensor(id).name + "\"";
    return value;
}

Result<std::vector<DataValue>> randomValues(const Graph &graph, std::uint64_t seed)
{
    std::vector<DataValue> inputs;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        GL_TRY_RESULT(value, randomValueOf(graph, i, seed));
        inputs.push_back(*std::move(value));
    }
    return inputs;
}

Result<std::vector<TensorData>> randomInputs(const Graph &graph, std::uint64_t seed)
{
    GL_TRY_CONST(values, randomValues(graph, seed));
    std::vector<TensorData> inputs;
    for (std::size_t i = 0; i < values->size(); ++i) {
        const TensorData *data = (*values)[i].tensor();
        if (!data)
            return fail(Error::Kind::Usage,
                        "expected a tensor, got " + std::string(nameOf((*values)[i].kind())) +
                            "; only tensors can be filled with random values here",
                        "input \"" + graph.tensor(graph.inputs()[i]).name + "\"");
        inputs.push_back(*data);
    }
    return inputs;
}

} // namespace graphloom
