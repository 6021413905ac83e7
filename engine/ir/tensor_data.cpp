// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/tensor_data.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace graphloom {

namespace {

std::int64_t product(const TensorData::Extents &extents)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents)
        count *= extent;
    return count;
}

std::uint64_t hashOf(DataType type, const TensorData::Extents &extents, std::uint64_t content)
{
    std::uint64_t hash = combine(scramble(std::uint64_t(type) + 1), content);
    for (const std::int64_t extent : extents)
        hash = combine(hash, std::uint64_t(extent));
    return hash;
}

template <class T> T at(const std::byte *bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// Layout of a floating-point format narrower than float.
struct SmallFloat {
    int exponentBits, mantissaBits, bias;
    bool infinities;        // the top exponent encodes infinity and NaN, as in IEEE 754
    bool negativeZeroIsNan; // the "FNUZ" types: 0x80 is the only NaN
};

constexpr SmallFloat layoutOf(DataType type)
{
    switch (type) {
    case DataType::Float16:
        return {5, 10, 15, true, false};
    case DataType::BFloat16:
        return {8, 7, 127, true, false};
    case DataType::Float8E4M3FN:
        return {4, 3, 7, false, false};
    case DataType::Float8E4M3FNUZ:
        return {4, 3, 8, false, true};
    case DataType::Float8E5M2:
        return {5, 2, 15, true, false};
    case DataType::Float8E5M2FNUZ:
        return {5, 2, 16, false, true};
    default:
        return {2, 1, 1, false, false}; // Float4E2M1: neither infinity nor NaN
    }
}

double decodeSmall(DataType type, std::uint32_t bits)
{
    const SmallFloat f = layoutOf(type);
    const int width = 1 + f.exponentBits + f.mantissaBits;
    const bool negative = bits >> (width - 1) & 1;
    const int exponent = int(bits >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
    const int mantissa = int(bits) & ((1 << f.mantissaBits) - 1);
    const int top = (1 << f.exponentBits) - 1;
    if (f.negativeZeroIsNan && bits == 1u << (width - 1))
        return std::numeric_limits<double>::quiet_NaN();
    if (f.infinities && exponent == top)
        return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : (negative ? -HUGE_VAL : HUGE_VAL);
    if (type == DataType::Float8E4M3FN && exponent == top && mantissa == 7)
        return std::numeric_limits<double>::quiet_NaN();
    const double magnitude = exponent == 0
                                 ? std::ldexp(double(mantissa), 1 - f.bias - f.mantissaBits)
                                 : std::ldexp(double(mantissa + (1 << f.mantissaBits)),
                                              exponent - f.bias - f.mantissaBits);
    return negative ? -magnitude : magnitude;
}

std::uint32_t encodeSmall(DataType type, double value)
{
    const SmallFloat f = layoutOf(type);
    const int width = 1 + f.exponentBits + f.mantissaBits;
    const std::uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
    const std::uint32_t top = (1u << f.exponentBits) - 1;
    const bool eightBits = width == 8;
    const std::uint32_t infinity = top << f.mantissaBits;
    const std::uint32_t largest = f.infinities                     ? infinity - 1
                                  : type == DataType::Float8E4M3FN ? 0x7e
                                                                   : (1u << (width - 1)) - 1;
    if (std::isnan(value)) {
        if (f.negativeZeroIsNan)
            return 1u << (width - 1);
        if (type == DataType::Float8E4M3FN)
            return sign | 0x7f;
        return f.infinities ? sign | infinity | (1u << (f.mantissaBits - 1)) : 0;
    }
    double magnitude = std::fabs(value);
    std::uint32_t bits = 0;
    if (std::isinf(magnitude)) {
        bits = f.infinities ? infinity : largest;
    } else if (magnitude != 0) {
        int exponent = 0;
        std::frexp(magnitude, &exponent);
        exponent = std::max(exponent - 1, 1 - f.bias); // subnormals share the lowest exponent
        const double steps = std::nearbyint(std::ldexp(magnitude, f.mantissaBits - exponent));
        // A mantissa that rounds up to the next power of two carries into the exponent.
        const double code = steps + double(exponent + f.bias - 1) * (1 << f.mantissaBits);
        if (code > largest)
            bits = f.infinities && !eightBits ? infinity : largest;
        else
            bits = std::uint32_t(code);
    }
    return bits == 0 && f.negativeZeroIsNan ? 0 : sign | bits;
}

} // namespace

double decodeReal(DataType type, const std::byte *bytes)
{
    switch (type) {
    case DataType::Float:
        return at<float>(bytes);
    case DataType::Double:
        return at<double>(bytes);
    case DataType::BFloat16:
        return std::bit_cast<float>(std::uint32_t(at<std::uint16_t>(bytes)) << 16);
    default:
        return decodeSmall(type,
                           bitsOf(type) == 16 ? at<std::uint16_t>(bytes) : at<std::uint8_t>(bytes));
    }
}

void encodeReal(DataType type, double value, std::byte *bytes)
{
    if (type == DataType::Float) {
        const float narrow = float(value);
        std::memcpy(bytes, &narrow, sizeof narrow);
    } else if (type == DataType::Double) {
        std::memcpy(bytes, &value, sizeof value);
    } else {
        const std::uint32_t bits = encodeSmall(type, value);
        std::memcpy(bytes, &bits, bitsOf(type) == 16 ? 2 : 1); // little endian
    }
}

TensorData TensorData::fromBytes(DataType type, Extents extents, std::vector<std::byte> bytes)
{
    auto owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::span<const std::byte> view = *owned;
    return fromShared(type, std::move(extents), view, std::move(owned));
}

TensorData TensorData::fromShared(DataType type, Extents extents, std::span<const std::byte> bytes,
                                  std::shared_ptr<const void> owner)
{
    TensorData data;
    data.m_type = type;
    data.m_elements = product(extents);
    data.m_extents = std::move(extents);
    data.m_bytes = bytes;
    data.m_owner = std::move(owner);
    data.m_contentHash = hashBytes(data.m_bytes);
    data.m_hash = hashOf(type, data.m_extents, data.m_contentHash);
    assert(data.m_bytes.size() == data.storedBytes());
    return data;
}

TensorData TensorData::fromMapped(DataType type, Extents extents, std::span<const std::byte> bytes,
                                  std::shared_ptr<const void> owner,
                                  std::optional<std::uint64_t> identity)
{
    TensorData data;
    data.m_type = type;
    data.m_mapped = true;
    data.m_elements = product(extents);
    data.m_extents = std::move(extents);
    data.m_bytes = bytes;
    data.m_owner = std::move(owner);
    data.m_contentHash = identity ? scramble(*identity) : hashBytes(bytes);
    data.m_hash = hashOf(type, data.m_extents, data.m_contentHash);
    assert(data.m_bytes.size() == data.storedBytes());
    return data;
}

TensorData TensorData::splat(DataType type, Extents extents, std::vector<std::byte> element)
{
    TensorData data = fromBytes(type, {}, std::move(element));
    data.m_splat = true;
    data.m_elements = product(extents);
    data.m_extents = std::move(extents);
    data.m_contentHash = hashBytes(data.m_bytes, 1);
    data.m_hash = hashOf(type, data.m_extents, data.m_contentHash);
    return data;
}

TensorData TensorData::fromStrings(Extents extents, std::vector<std::string> strings)
{
    TensorData data;
    data.m_type = DataType::String;
    data.m_elements = product(extents);
    data.m_extents = std::move(extents);
    for (const std::string &text : strings)
        data.m_contentHash = hashText(text, data.m_contentHash);
    data.m_strings = std::make_shared<const std::vector<std::string>>(std::move(strings));
    data.m_hash = hashOf(DataType::String, data.m_extents, data.m_contentHash);
    return data;
}

double TensorData::real(std::int64_t i) const
{
    if (!isFloatingPoint(m_type)) {
        if (m_type == DataType::Complex64)
            return at<float>(m_bytes.data() + (m_splat ? 0 : i * 8));
        if (m_type == DataType::Complex128)
            return at<double>(m_bytes.data() + (m_splat ? 0 : i * 16));
        const std::int64_t value = integer(i);
        return m_type == DataType::Uint64 ? double(std::uint64_t(value)) : double(value);
    }
    if (m_type == DataType::Float4E2M1) {
        const auto pair = std::to_integer<unsigned>(m_bytes[m_splat ? 0 : std::size_t(i / 2)]);
        return decodeSmall(m_type, !m_splat && i % 2 ? pair >> 4 : pair & 15);
    }
    return decodeReal(m_type, m_bytes.data() + (m_splat ? 0 : i * (bitsOf(m_type) / 8)));
}

std::int64_t TensorData::integer(std::int64_t i) const
{
    const std::byte *here = m_bytes.data() + (m_splat ? 0 : i * bitsOf(m_type) / 8);
    switch (m_type) {
    case DataType::Uint8:
        return at<std::uint8_t>(here);
    case DataType::Bool:
        return at<std::uint8_t>(here) != 0;
    case DataType::Int8:
        return at<std::int8_t>(here);
    case DataType::Uint16:
        return at<std::uint16_t>(here);
    case DataType::Int16:
        return at<std::int16_t>(here);
    case DataType::Int32:
        return at<std::int32_t>(here);
    case DataType::Uint32:
        return at<std::uint32_t>(here);
    case DataType::Int64:
    case DataType::Uint64:
        return at<std::int64_t>(here);
    case DataType::Uint4:
    case DataType::Int4: {
        const auto pair = std::to_integer<int>(*here);
        const int nibble = !m_splat && i % 2 ? pair >> 4 : pair & 15;
        return m_type == DataType::Int4 && nibble > 7 ? nibble - 16 : nibble;
    }
    default: {
        // Out-of-range conversions are undefined in C++; saturate, NaN becomes the minimum.
        const double value = real(i);
        if (value >= 9.2233720368547758e18)
            return INT64_MAX;
        return value > -9.2233720368547758e18 ? std::int64_t(value) : INT64_MIN;
    }
    }
}

std::vector<std::int64_t> TensorData::integers() const
{
    std::vector<std::int64_t> values(std::size_t(m_elements), 0);
    for (std::int64_t i = 0; i < m_elements; ++i)
        values[std::size_t(i)] = integer(i);
    return values;
}

TensorData TensorData::reshaped(Extents extents) const
{
    assert(product(extents) == m_elements);
    TensorData data = *this;
    data.m_extents = std::move(extents);
    data.m_hash = hashOf(m_type, data.m_extents, m_contentHash);
    return data;
}

bool operator==(const TensorData &a, const TensorData &b)
{
    if (a.m_type != b.m_type || a.m_extents != b.m_extents)
        return false;
    if (a.m_strings || b.m_strings)
        return a.m_strings && b.m_strings && *a.m_strings == *b.m_strings;
    if (a.m_splat != b.m_splat || a.m_bytes.size() != b.m_bytes.size())
        return false;
    // Elements that both share need not be read, which for a mapped file takes long.
    return a.m_bytes.data() == b.m_bytes.data() || std::ranges::equal(a.m_bytes, b.m_bytes);
}

void TensorData::release() const
{
    if (!m_mapped)
        return;
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto first = (std::uintptr_t(m_bytes.data()) + page - 1) / page * page;
    const auto end = (std::uintptr_t(m_bytes.data()) + m_bytes.size()) / page * page;
    if (first < end) // only advice; correctness does not depend on it
        ::madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

} // namespace graphloom
