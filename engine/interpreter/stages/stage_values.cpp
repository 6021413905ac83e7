// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/stages/stage_values.h"

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <unistd.h>

namespace graphloom {

namespace {

std::vector<std::int64_t> rowMajorStrides(const TensorData::Extents &extents)
{
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;)
        strides[d - 1] = strides[d] * extents[d];
    return strides;
}

/// Returns one byte per element: the value of integers, the 4 bits of floats.
std::vector<std::byte> unpacked(const TensorData &data)
{
    const std::int64_t count = data.isSplat() ? 1 : data.elements();
    std::vector<std::byte> bytes(std::size_t(count), std::byte{0});
    for (std::int64_t i = 0; i < count; ++i) {
        const auto pair = std::to_integer<unsigned>(data.bytes()[std::size_t(i / 2)]);
        unsigned nibble = i % 2 ? pair >> 4 : pair & 15;
        if (data.type() == DataType::Int4 && nibble > 7)
            nibble |= 0xf0;
        bytes[std::size_t(i)] = std::byte(nibble);
    }
    return bytes;
}

std::vector<std::byte> packed(const std::vector<std::byte> &bytes)
{
    std::vector<std::byte> pairs((bytes.size() + 1) / 2, std::byte{0});
    for (std::size_t i = 0; i < bytes.size(); ++i)
        pairs[i / 2] |= (bytes[i] & std::byte{15}) << (i % 2 ? 4 : 0);
    return pairs;
}

/// Fills the bytes until it is done or cancelled.
void fillWithZeros(std::vector<std::byte> &bytes, std::size_t count, const std::stop_token &stop)
{
    constexpr std::size_t slice = std::size_t{1} << 24;
    bytes.reserve(count);
    while (bytes.size() < count && !stop.stop_requested())
        bytes.resize(std::min(count, bytes.size() + slice));
}

} // namespace

int elementBytes(DataType type)
{
    return (bitsOf(type) + 7) / 8;
}

std::uint64_t machineMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? std::uint64_t(pages) * std::uint64_t(size)
                                 : std::uint64_t{1} << 33;
}

std::int64_t StageTensor::elements() const
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    return count;
}

void StageValues::addInput(const TensorData *input)
{
    StageTensor tensor;
    if (input) {
        tensor.type = input->type();
        tensor.extents = input->extents();
        tensor.strides = input->isSplat() ? std::vector<std::int64_t>(tensor.extents.size(), 0)
                                          : rowMajorStrides(tensor.extents);
        if (input->type() == DataType::String) {
            tensor.strings = &input->strings();
        } else if (bitsOf(input->type()) == 4) {
            m_unpacked.push_back(std::make_unique<Bytes>(unpacked(*input)));
            tensor.data = m_unpacked.back()->data();
        } else {
            tensor.data = input->bytes().data();
        }
    }
    m_inputs.push_back(std::move(tensor));
}

Result<StageValues> StageValues::make(const Description &description, const Call &call,
                                      std::span<const TensorData *const> inputs,
                                      std::uint64_t maxBytes, const std::stop_token &stop)
{
    StageValues values;
    for (const TensorData *input : inputs)
        values.addInput(input);
    std::uint64_t total = 0;
    for (const Value &value : description.values) {
        if (!value.shape || !isStatic(*value.shape))
            return call.refuse("the shape of its result is unknown");
        const auto count = staticElements(*value.shape);
        const int size =
            value.type == DataType::String ? int(sizeof(std::string)) : elementBytes(value.type);
        if (!count || size == 0)
            return call.refuse("its result of shape " + text(*value.shape) + " cannot be stored");
        if (std::uint64_t(*count) > (maxBytes - total) / std::uint64_t(size))
            return call.refuse("its result of shape " + text(*value.shape) +
                               " does not fit into memory");
        total += std::uint64_t(*count) * std::uint64_t(size);
        StageTensor tensor;
        tensor.type = value.type;
        for (const Dim &dim : *value.shape)
            tensor.extents.push_back(dim.value());
        tensor.strides = rowMajorStrides(tensor.extents);
        auto texts = std::make_unique<std::vector<std::string>>();
        auto bytes = std::make_unique<Bytes>();
        try {
            if (value.type == DataType::String)
                texts->resize(std::size_t(*count));
            else
                fillWithZeros(*bytes, std::size_t(*count) * std::size_t(size), stop);
        } catch (const std::bad_alloc &) {
            return call.refuse("its result of shape " + text(*value.shape) +
                               " does not fit into memory");
        }
        if (stop.stop_requested())
            return stopped();
        tensor.strings = texts.get();
        tensor.data = bytes->data();
        values.m_texts.push_back(std::move(texts));
        values.m_buffers.push_back(std::move(bytes));
        values.m_values.push_back(std::move(tensor));
    }
    return values;
}

bool StageValues::contains(const Operand &operand) const
{
    const auto &list = operand.kind == Operand::Kind::Input ? m_inputs : m_values;
    return operand.index >= 0 && std::size_t(operand.index) < list.size();
}

const StageTensor &StageValues::operator[](const Operand &operand) const
{
    assert(contains(operand));
    const auto &list = operand.kind == Operand::Kind::Input ? m_inputs : m_values;
    return list[std::size_t(operand.index)];
}

std::vector<TensorData> StageValues::take(int count)
{
    assert(std::size_t(count) <= m_values.size());
    std::vector<TensorData> result;
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
        StageTensor &tensor = m_values[i];
        if (tensor.type == DataType::String)
            result.push_back(TensorData::fromStrings(tensor.extents, std::move(*m_texts[i])));
        else if (bitsOf(tensor.type) == 4)
            result.push_back(
                TensorData::fromBytes(tensor.type, tensor.extents, packed(*m_buffers[i])));
        else
            result.push_back(
                TensorData::fromBytes(tensor.type, tensor.extents, std::move(*m_buffers[i])));
    }
    return result;
}

} // namespace graphloom
