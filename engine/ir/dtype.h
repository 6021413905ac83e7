// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphloom {

/// Lists the element types, numbered as in ONNX's TensorProto.DataType.
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

/// Returns the type with this TensorProto number; nothing if there is none.
std::optional<DataType> dataTypeFromOnnx(int number);

/// Returns the bits of one stored element: 0 for strings and Undefined.
int bitsOf(DataType type);

/// Returns the bytes that `count` elements take when stored (4-bit types are packed two to a byte).
std::uint64_t bytesOf(DataType type, std::uint64_t count);

bool isFloatingPoint(DataType type);
bool isSignedInteger(DataType type);
bool isUnsignedInteger(DataType type);
/// Tells whether the type is an integer or bool.
bool isIntegral(DataType type);

/// Returns the name that ONNX tools print: "float", "int64", "bool"…
std::string_view nameOf(DataType type);

} // namespace graphloom
