// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphloom {

/// Element types, numbered as in ONNX's TensorProto.DataType.
enum class DataType : std::uint8_t {
    Undefined = 0,
    Float = 1,
    Uint8 = 2,
    Int8 = 3,
    Uint16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    Uint32 = 12,
    Uint64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    BFloat16 = 16,
    Float8E4M3FN = 17,
    Float8E4M3FNUZ = 18,
    Float8E5M2 = 19,
    Float8E5M2FNUZ = 20,
    Uint4 = 21,
    Int4 = 22,
    Float4E2M1 = 23,
};

/// The type with this TensorProto number; none when the number is not one of them.
std::optional<DataType> dataTypeFromOnnx(int number);

/// Bits of one stored element: 0 for strings and Undefined.
int bitsOf(DataType type);

/// Bytes that `count` elements take when stored (4-bit types are packed two to a byte).
std::uint64_t bytesOf(DataType type, std::uint64_t count);

bool isFloatingPoint(DataType type);
bool isSignedInteger(DataType type);
bool isUnsignedInteger(DataType type);
/// Integer or bool.
bool isIntegral(DataType type);

/// As printed by ONNX tools: "float", "int64", "bool"…
std::string_view nameOf(DataType type);

} // namespace graphloom
