// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"
#include "engine/ops/describe/operator_table.h"

#include <vector>

/// Declares functions through which reference kernels see tensors as plain lists of numbers.
namespace graphloom::kernels {

/// Returns all elements of a numeric tensor, or only some of them if the call is stopped.
inline std::vector<double> realsOf(const Call &call, const TensorData &data)
{
    constexpr std::size_t share = 4096; // elements between two calls of stopped()
    std::vector<double> values(std::size_t(data.elements()), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = data.real(std::int64_t(i));
        if (i % share == share - 1 && call.stopped(share))
            break;
    }
    return values;
}

/// Returns a tensor of a floating-point type with these elements, rounded to it.
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
