// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace graphloom::test {

/// All element types that tensors have, except for strings.
inline constexpr std::array numberTypes{
    DataType::Float,          DataType::Uint8,      DataType::Int8,
    DataType::Uint16,         DataType::Int16,      DataType::Int32,
    DataType::Int64,          DataType::Bool,       DataType::Float16,
    DataType::Double,         DataType::Uint32,     DataType::Uint64,
    DataType::Complex64,      DataType::Complex128, DataType::BFloat16,
    DataType::Float8E4M3FN,   DataType::Float8E5M2, DataType::Float8E4M3FNUZ,
    DataType::Float8E5M2FNUZ, DataType::Uint4,      DataType::Int4,
    DataType::Float4E2M1};

/// Returns a tensor of random elements. Real numbers are mostly ordinary; some are zero, NaN or
/// infinite. Types of at most 16 bits and integers have random bits. With `few` there are only
/// about five different values.
inline TensorData randomTensor(DataType type, TensorData::Extents extents, std::mt19937_64 &random,
                               bool few = false)
{
    std::int64_t elements = 1;
    for (const std::int64_t extent : extents)
        elements *= extent;
    const auto real = [&]() -> double {
        if (few)
            return double(random() % 5) - 2;
        switch (random() % 40) {
        case 0:
            return std::numeric_limits<double>::quiet_NaN();
        case 1:
            return std::numeric_limits<double>::infinity();
        case 2:
            return -std::numeric_limits<double>::infinity();
        case 3:
            return 0;
        default:
            return std::normal_distribution<double>(0.3, 2)(random);
        }
    };
    std::vector<std::byte> bytes(bytesOf(type, std::uint64_t(elements)));
    const bool isComplex = type == DataType::Complex64 || type == DataType::Complex128;
    const DataType part = type == DataType::Complex64    ? DataType::Float
                          : type == DataType::Complex128 ? DataType::Double
                                                         : type;
    if (isComplex || type == DataType::Float || type == DataType::Double) {
        const std::size_t size = bytesOf(part, 1);
        for (std::size_t at = 0; at < bytes.size(); at += size)
            encodeReal(part, real(), bytes.data() + at);
    } else {
        for (std::byte &byte : bytes)
            byte = std::byte(few ? random() % 3 : random());
    }
    if (bitsOf(type) == 4 && elements % 2 == 1) // padding has no value
        bytes.back() &= std::byte(15);
    return TensorData::fromBytes(type, std::move(extents), std::move(bytes));
}

inline std::string nameOfRow(DataType type)
{
    return std::string(nameOf(type));
}

} // namespace graphloom::test
