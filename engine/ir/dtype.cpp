// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dtype.h"

#include <array>

namespace graphloom {

namespace {

enum class Class : std::uint8_t { None, Real, Signed, Unsigned, Bool, Text, Complex };

struct Facts {
    std::string_view name;
    int bits;
    Class kind;
};

constexpr std::array<Facts, 24> factsOfTypes{{
    {"undefined", 0, Class::None},      {"float", 32, Class::Real},
    {"uint8", 8, Class::Unsigned},      {"int8", 8, Class::Signed},
    {"uint16", 16, Class::Unsigned},    {"int16", 16, Class::Signed},
    {"int32", 32, Class::Signed},       {"int64", 64, Class::Signed},
    {"string", 0, Class::Text},         {"bool", 8, Class::Bool},
    {"float16", 16, Class::Real},       {"double", 64, Class::Real},
    {"uint32", 32, Class::Unsigned},    {"uint64", 64, Class::Unsigned},
    {"complex64", 64, Class::Complex},  {"complex128", 128, Class::Complex},
    {"bfloat16", 16, Class::Real},      {"float8e4m3fn", 8, Class::Real},
    {"float8e4m3fnuz", 8, Class::Real}, {"float8e5m2", 8, Class::Real},
    {"float8e5m2fnuz", 8, Class::Real}, {"uint4", 4, Class::Unsigned},
    {"int4", 4, Class::Signed},         {"float4e2m1", 4, Class::Real},
}};

const Facts &of(DataType type)
{
    return factsOfTypes[static_cast<std::size_t>(type)];
}

} // namespace

std::optional<DataType> dataTypeFromOnnx(int number)
{
    if (number < 0 || number >= int(factsOfTypes.size()))
        return std::nullopt;
    return static_cast<DataType>(number);
}

int bitsOf(DataType type)
{
    return of(type).bits;
}

std::uint64_t bytesOf(DataType type, std::uint64_t count)
{
    return of(type).bits == 4 ? (count + 1) / 2 : count * std::uint64_t(of(type).bits / 8);
}

bool isFloatingPoint(DataType type)
{
    return of(type).kind == Class::Real;
}

bool isSignedInteger(DataType type)
{
    return of(type).kind == Class::Signed;
}

bool isUnsignedInteger(DataType type)
{
    return of(type).kind == Class::Unsigned;
}

bool isIntegral(DataType type)
{
    return isSignedInteger(type) || isUnsignedInteger(type) || of(type).kind == Class::Bool;
}

std::string_view nameOf(DataType type)
{
    return of(type).name;
}

} // namespace graphloom
