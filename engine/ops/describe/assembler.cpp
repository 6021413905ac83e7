// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/assembler.h"

#include "engine/base/steps.h"
#include "engine/base/truncate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>

namespace graphloom::kernels {

Result<Assembler> Assembler::make(const Call &call, DataType type, TensorData::Extents extents)
{
    const Shape shape(extents.begin(), extents.end());
    const auto elements = staticElements(shape);
    const auto tooLarge = [&] {
        return call.refuse("its result of shape " + text(shape) + " does not fit into memory");
    };
    if (!elements)
        return tooLarge();
    const auto count = std::uint64_t(*elements);
    if (type == DataType::String ? count > call.maxBytes() / sizeof(std::string)
                                 : bytesOf(type, count) > call.maxBytes())
        return tooLarge();
    Assembler assembler;
    assembler.m_type = type;
    assembler.m_extents = std::move(extents);
    assembler.m_elements = *elements;
    try {
        if (type == DataType::String) {
            assembler.m_strings.resize(std::size_t(*elements));
        } else {
            std::vector<std::byte> &bytes = assembler.m_bytes;
            const std::uint64_t all = bytesOf(type, count);
            constexpr std::uint64_t share = std::uint64_t{1} << 20; // between two checks
            bytes.reserve(all);
            while (bytes.size() < all) {
                bytes.resize(std::min<std::uint64_t>(all, bytes.size() + share));
                if (call.stopped(share / 64)) // a cache line each
                    return stoppedError();
            }
        }
    } catch (const std::bad_alloc &) {
        return tooLarge();
    } catch (const std::length_error &) {
        return tooLarge();
    }
    return assembler;
}

void Assembler::copy(std::int64_t to, const TensorData &data, std::int64_t from)
{
    assert(data.type() == m_type && to >= 0 && to < m_elements && from >= 0 &&
           from < data.elements());
    if (m_type == DataType::String) {
        m_strings[std::size_t(to)] = data.strings()[std::size_t(from)];
        return;
    }
    const std::int64_t source = data.isSplat() ? 0 : from;
    const int bits = bitsOf(m_type);
    if (bits < 8) { // two to a byte, low half first
        const auto pair = std::to_integer<unsigned>(data.bytes()[std::size_t(source / 2)]);
        setInteger(to, source % 2 ? pair >> 4 : pair & 15);
        return;
    }
    const auto size = std::size_t(bits / 8);
    std::memcpy(&m_bytes[std::size_t(to) * size], &data.bytes()[std::size_t(source) * size], size);
}

void Assembler::copy(std::int64_t to, const TensorData &data, std::int64_t from, std::int64_t count)
{
    if (count > 0 && m_type != DataType::String && !data.isSplat() && bitsOf(m_type) >= 8) {
        assert(data.type() == m_type && to + count <= m_elements &&
               from + count <= data.elements());
        const auto size = std::size_t(bitsOf(m_type) / 8);
        std::memcpy(&m_bytes[std::size_t(to) * size], &data.bytes()[std::size_t(from) * size],
                    std::size_t(count) * size);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        copy(to + i, data, from + i);
}

void Assembler::setReal(std::int64_t to, double value)
{
    if (!isFloatingPoint(m_type)) {
        constexpr double two63 = 9223372036854775808.0;
        if (m_type == DataType::Uint64 && value >= two63)
            setInteger(to, value < 2 * two63 ? std::int64_t(std::uint64_t(value)) : -1);
        else
            setInteger(to, truncated(value));
        return;
    }
    std::byte stored[8]{};
    encodeReal(m_type, value, stored);
    if (bitsOf(m_type) < 8)
        setInteger(to, std::to_integer<std::int64_t>(stored[0]));
    else
        std::memcpy(&m_bytes[std::size_t(to) * std::size_t(bitsOf(m_type) / 8)], stored,
                    std::size_t(bitsOf(m_type) / 8));
}

void Assembler::setInteger(std::int64_t to, std::int64_t value)
{
    const int bits = bitsOf(m_type);
    if (bits < 8) {
        std::byte &pair = m_bytes[std::size_t(to / 2)];
        const auto nibble = std::byte(value & 15);
        pair = to % 2 ? (pair & std::byte{15}) | nibble << 4 : (pair & std::byte{0xf0}) | nibble;
        return;
    }
    if (m_type == DataType::Bool)
        value = value != 0;
    std::memcpy(&m_bytes[std::size_t(to) * std::size_t(bits / 8)], &value,
                std::size_t(bits / 8)); // little endian
}

TensorData Assembler::finish() &&
{
    if (m_type == DataType::String)
        return TensorData::fromStrings(std::move(m_extents), std::move(m_strings));
    return TensorData::fromBytes(m_type, std::move(m_extents), std::move(m_bytes));
}

std::vector<std::int64_t> stridesOf(const TensorData::Extents &extents)
{
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;)
        strides[d - 1] = strides[d] * extents[d];
    return strides;
}

Cut cutAlong(const TensorData::Extents &extents, int axis)
{
    Cut cut;
    for (int d = 0; d < int(extents.size()); ++d)
        (d < axis ? cut.outer : d == axis ? cut.extent : cut.inner) *= extents[std::size_t(d)];
    return cut;
}

} // namespace graphloom::kernels
