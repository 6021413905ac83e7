// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/byte_stream.h"

#include <bit>
#include <cstring>

namespace graphloom {

namespace {

constexpr unsigned groupBits = 7;

template <class T> void append(std::string &bytes, T value)
{
    static_assert(std::endian::native == std::endian::little);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

} // namespace

void ByteWriter::number(std::uint64_t value)
{
    constexpr std::uint64_t more = 1u << groupBits;
    for (; value >= more; value >>= groupBits)
        m_bytes += char(value | more);
    m_bytes += char(value);
}

void ByteWriter::integer(std::int64_t value)
{
    number((std::uint64_t(value) << 1) ^ std::uint64_t(value >> 63));
}

void ByteWriter::real(double value)
{
    append(m_bytes, value);
}

void ByteWriter::real(float value)
{
    append(m_bytes, value);
}

void ByteWriter::text(std::string_view value)
{
    number(value.size());
    m_bytes += value;
}

void ByteWriter::raw(std::span<const std::byte> bytes)
{
    m_bytes.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

void ByteReader::refuse(std::string problem)
{
    if (m_problem.empty())
        m_problem = std::move(problem);
    m_left = {};
}

std::string_view ByteReader::raw(std::size_t bytes)
{
    if (bytes > m_left.size()) {
        refuse("is truncated");
        return {};
    }
    const std::string_view taken = m_left.substr(0, bytes);
    m_left.remove_prefix(bytes);
    return taken;
}

std::uint64_t ByteReader::number()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += groupBits) {
        const std::string_view next = raw(1);
        if (next.empty())
            return 0;
        const auto group = std::uint8_t(next.front());
        value |= std::uint64_t(group & 0x7f) << shift;
        if (group < 0x80)
            return value;
    }
    refuse("has an overlong number");
    return 0;
}

std::int64_t ByteReader::integer()
{
    const std::uint64_t coded = number();
    return std::int64_t(coded >> 1) ^ -std::int64_t(coded & 1);
}

double ByteReader::real()
{
    double value = 0;
    if (const std::string_view bytes = raw(sizeof value); !bytes.empty())
        std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

float ByteReader::realFloat()
{
    float value = 0;
    if (const std::string_view bytes = raw(sizeof value); !bytes.empty())
        std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::string ByteReader::text()
{
    return std::string(raw(count()));
}

std::size_t ByteReader::count()
{
    const std::uint64_t value = number();
    if (value > m_left.size()) {
        refuse("has a count that exceeds its size");
        return 0;
    }
    return std::size_t(value);
}

} // namespace graphloom
