// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/random.h"

#include "engine/base/hash.h"
#include "engine/runtime/interpreter.h"
#include "engine/runtime/stage_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphloom {

namespace {

/// Uniform in [-1, 1), a multiple of 2^-23, so that every step to float is exact.
double uniform(std::uint64_t bits)
{
    return double(std::int64_t(bits >> 40)) / double(1 << 23) - 1;
}

/// Read as sums of squares: of these there are no negative ones.
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
                    "there are no random values of type " + std::string(nameOf(type)));
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

Result<std::vector<TensorData>> randomInputs(const Graph &graph, std::uint64_t seed)
{
    std::vector<TensorData> inputs;
    for (const TensorId id : graph.inputs()) {
        const Tensor &tensor = graph.tensor(id);
        const std::string where = "input \"" + tensor.name + "\"";
        if (!tensor.shape || !isStatic(*tensor.shape))
            return fail(Error::Kind::Usage,
                        "has no fixed shape" +
                            (tensor.shape ? " (" + text(*tensor.shape) + ")" : "") +
                            "; give one to fill it with random values",
                        where);
        TensorData::Extents extents;
        for (const Dim &dim : *tensor.shape)
            extents.push_back(dim.value());
        auto data =
            randomTensor(tensor.type, extents, scramble(seed) + scramble(inputs.size() + 1));
        if (!data) {
            data.error().where = where;
            return tl::unexpected(data.error());
        }
        const bool ofSquares = isFloatingPoint(tensor.type) && isOfSquares(graph, id);
        inputs.push_back(ofSquares ? magnitudes(*data) : std::move(*data));
    }
    return inputs;
}

} // namespace graphloom
