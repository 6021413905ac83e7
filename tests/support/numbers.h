// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace graphloom::test {

/// Returns a tensor of reals or integers of the type, from numbers in row-major order.
inline TensorData numbers(DataType type, TensorData::Extents extents,
                          const std::vector<double> &values)
{
    const int bits = bitsOf(type);
    std::vector<std::byte> bytes(bytesOf(type, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (isFloatingPoint(type)) {
            encodeReal(type, values[i], &bytes[i * std::size_t(bits) / 8]);
        } else if (bits < 8) {
            bytes[i / 2] |= std::byte(std::int64_t(values[i]) & 15) << (i % 2 ? 4 : 0);
        } else {
            const auto integer = std::int64_t(values[i]);
            for (int b = 0; b < bits / 8; ++b)
                bytes[i * std::size_t(bits) / 8 + std::size_t(b)] =
                    std::byte(integer >> (8 * b) & 255);
        }
    }
    return TensorData::fromBytes(type, std::move(extents), std::move(bytes));
}
inline TensorData floats(TensorData::Extents extents, const std::vector<double> &values)
{
    return numbers(DataType::Float, std::move(extents), values);
}
inline TensorData int64s(TensorData::Extents extents, const std::vector<double> &values)
{
    return numbers(DataType::Int64, std::move(extents), values);
}
/// Returns a tensor of values that are floats already; lists in braces select the overload above.
template <class Real>
TensorData floats(TensorData::Extents extents, const std::vector<Real> &values)
{
    return TensorData::fromValues<Real>(DataType::Float, std::move(extents), values);
}

} // namespace graphloom::test
