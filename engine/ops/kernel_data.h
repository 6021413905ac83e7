// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <vector>

/// How reference kernels look at tensors: plain lists of numbers.
namespace graphloom::kernels {

/// All elements of a numeric tensor.
inline std::vector<double> realsOf(const TensorData &data)
{
    std::vector<double> values(std::size_t(data.elements()), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = data.real(std::int64_t(i));
    return values;
}

/// A tensor of a floating-point type with these elements, rounded to it.
inline TensorData tensorOf(DataType type, TensorData::Extents extents,
                           const std::vector<double> &values)
{
    const auto size = std::size_t(bitsOf(type)) / 8;
    std::vector<std::byte> bytes(values.size() * size, std::byte{0});
    for (std::size_t i = 0; i < values.size(); ++i)
        encodeReal(type, values[i], bytes.data() + i * size);
    return TensorData::fromBytes(type, std::move(extents), std::move(bytes));
}

} // namespace graphloom::kernels
