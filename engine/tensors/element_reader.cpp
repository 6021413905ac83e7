// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/element_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace graphloom {

namespace {

constexpr std::size_t typeCount = std::size_t(DataType::Float4E2M1) + 1;
constexpr std::int64_t mostTouched = std::int64_t{1} << 25; // bytes
// Linux maps up to so many bytes around one that is read, if they are in its cache.
constexpr std::int64_t faultBytes = 1 << 21;
constexpr std::int64_t mostAtOnce = 1 << 14; // elements

double valueOfCode(DataType type, unsigned code)
{
    switch (type) {
    case DataType::Bool:
        return code != 0;
    case DataType::Int8:
        return std::int8_t(code);
    case DataType::Int16:
        return std::int16_t(code);
    case DataType::Int4:
        return code > 7 ? double(code) - 16 : code;
    case DataType::Uint4:
    case DataType::Uint8:
    case DataType::Uint16:
        return code;
    default: {
        std::array<std::byte, 2> bytes;
        const auto stored = std::uint16_t(code);
        std::memcpy(bytes.data(), &stored, sizeof stored);
        return decodeReal(type, bytes.data());
    }
    }
}

/// Decodes numbers of a type that C++ has; they need not be aligned in a file.
template <class T>
void readWide(const std::byte *at, std::int64_t step, std::span<double> values,
              std::int64_t size = sizeof(T))
{
    for (double &value : values) {
        T stored;
        std::memcpy(&stored, at, sizeof stored);
        value = double(stored);
        at += step * size;
    }
}

template <class Code>
void readCodes(const TensorData &data, std::int64_t first, std::int64_t step,
               std::span<double> values)
{
    const std::vector<double> &table = valuesOfCodes(data.type());
    const std::byte *at = data.bytes().data() + first * std::int64_t(sizeof(Code));
    for (double &value : values) {
        Code code;
        std::memcpy(&code, at, sizeof code);
        value = table[code];
        at += step * std::int64_t(sizeof(Code));
    }
}

void readNibbles(const TensorData &data, std::int64_t first, std::int64_t step,
                 std::span<double> values)
{
    const std::vector<double> &table = valuesOfCodes(data.type());
    for (double &value : values) {
        const auto pair = std::to_integer<unsigned>(data.bytes()[std::size_t(first / 2)]);
        value = table[first % 2 ? pair >> 4 : pair & 15];
        first += step;
    }
}

} // namespace

const std::vector<double> &valuesOfCodes(DataType type)
{
    static std::array<std::vector<double>, typeCount> tables;
    static std::array<std::once_flag, typeCount> made;
    std::call_once(made[std::size_t(type)], [type] {
        std::vector<double> &table = tables[std::size_t(type)];
        table.resize(std::size_t{1} << bitsOf(type));
        for (std::size_t code = 0; code < table.size(); ++code)
            table[code] = valueOfCode(type, unsigned(code));
    });
    return tables[std::size_t(type)];
}

void readElements(const TensorData &data, std::int64_t first, std::int64_t step,
                  std::span<double> values)
{
    if (values.empty())
        return;
    if (data.isSplat()) {
        std::ranges::fill(values, data.real(0));
        return;
    }
    const int bits = bitsOf(data.type());
    const std::byte *at = data.bytes().data() + first * (bits / 8);
    switch (data.type()) {
    case DataType::Float:
        return readWide<float>(at, step, values);
    case DataType::Double:
        return readWide<double>(at, step, values);
    case DataType::Int32:
        return readWide<std::int32_t>(at, step, values);
    case DataType::Uint32:
        return readWide<std::uint32_t>(at, step, values);
    case DataType::Int64:
        return readWide<std::int64_t>(at, step, values);
    case DataType::Uint64:
        return readWide<std::uint64_t>(at, step, values);
    case DataType::Complex64:
        return readWide<float>(at, step, values, 8);
    case DataType::Complex128:
        return readWide<double>(at, step, values, 16);
    default:
        return bits == 16  ? readCodes<std::uint16_t>(data, first, step, values)
               : bits == 8 ? readCodes<std::uint8_t>(data, first, step, values)
                           : readNibbles(data, first, step, values);
    }
}

ReadMeter::ReadMeter(const TensorData &data, std::int64_t elements, const ReadOptions &options)
    : m_data(data), m_options(options), m_total(std::max<std::int64_t>(1, elements))
{
}

std::int64_t ReadMeter::bytesApart(std::int64_t step) const
{
    return std::min(faultBytes, step * std::max(1, bitsOf(m_data.type()) / 8));
}

std::int64_t ReadMeter::atOnce(std::int64_t step) const
{
    return std::min(mostAtOnce, mostTouched / bytesApart(step));
}

bool ReadMeter::add(std::int64_t elements, std::int64_t step, std::int64_t jump)
{
    m_read += elements;
    m_touched += std::max(elements * bytesApart(step), bytesApart(jump));
    if (m_touched >= mostTouched) {
        m_data.release();
        m_touched = 0;
    }
    if (m_options.progress)
        m_options.progress(double(m_read) / double(m_total));
    return !m_options.stop.stop_requested();
}

} // namespace graphloom
