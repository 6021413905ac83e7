// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/truncate.h"
#include "engine/ir/tensor_data.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Defines every scalar function of a stage's body on doubles and on 64-bit integers. The two ways
/// of running stages share these definitions and nothing else. No argument has undefined behaviour:
/// integers wrap around, division by zero and remainders of zero give 0, shifts by more than the
/// width give 0 (or the sign), conversions beyond the range saturate to 64 bits.
namespace graphloom::scalar {

/// Distinguishes the two kinds of registers and scalars; every type that is not floating-point
/// belongs to Integer.
enum class Bank : std::uint8_t { Real, Integer };

inline Bank bankOf(DataType type)
{
    return isIntegral(type) ? Bank::Integer : Bank::Real;
}

template <Fn fn> double ofReals(double a, double b = 0)
{
    if constexpr (fn == Fn::Negate)
        return -a;
    else if constexpr (fn == Fn::Abs)
        return std::fabs(a);
    else if constexpr (fn == Fn::Sign)
        return a > 0 ? 1 : a < 0 ? -1 : a; // NaN stays NaN
    else if constexpr (fn == Fn::Floor)
        return std::floor(a);
    else if constexpr (fn == Fn::Ceil)
        return std::ceil(a);
    else if constexpr (fn == Fn::Round)
        return std::nearbyint(a); // halves to even
    else if constexpr (fn == Fn::Sqrt)
        return std::sqrt(a);
    else if constexpr (fn == Fn::Exp)
        return std::exp(a);
    else if constexpr (fn == Fn::Log)
        return std::log(a);
    else if constexpr (fn == Fn::Sin)
        return std::sin(a);
    else if constexpr (fn == Fn::Cos)
        return std::cos(a);
    else if constexpr (fn == Fn::Tan)
        return std::tan(a);
    else if constexpr (fn == Fn::Asin)
        return std::asin(a);
    else if constexpr (fn == Fn::Acos)
        return std::acos(a);
    else if constexpr (fn == Fn::Atan)
        return std::atan(a);
    else if constexpr (fn == Fn::Sinh)
        return std::sinh(a);
    else if constexpr (fn == Fn::Cosh)
        return std::cosh(a);
    else if constexpr (fn == Fn::Tanh)
        return std::tanh(a);
    else if constexpr (fn == Fn::Asinh)
        return std::asinh(a);
    else if constexpr (fn == Fn::Acosh)
        return std::acosh(a);
    else if constexpr (fn == Fn::Atanh)
        return std::atanh(a);
    else if constexpr (fn == Fn::Erf)
        return std::erf(a);
    else if constexpr (fn == Fn::Add)
        return a + b;
    else if constexpr (fn == Fn::Sub)
        return a - b;
    else if constexpr (fn == Fn::Mul)
        return a * b;
    else if constexpr (fn == Fn::Div)
        return a / b;
    else if constexpr (fn == Fn::FloorDiv)
        return std::floor(a / b);
    else if constexpr (fn == Fn::Mod) {
        const double rest = std::fmod(a, b); // the sign is to be the divisor's
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (fn == Fn::Fmod)
        return std::fmod(a, b);
    else if constexpr (fn == Fn::Pow)
        return std::pow(a, b);
    else if constexpr (fn == Fn::Min)
        return a < b || a != a ? a : b; // NaN wins, from either side
    else if constexpr (fn == Fn::Max)
        return a > b || a != a ? a : b;
    else
        static_assert(fn == Fn::Add, "not a function of reals");
}

inline std::int64_t wrapped(std::uint64_t bits)
{
    return std::int64_t(bits);
}

template <bool isUnsigned> std::int64_t power(std::int64_t base, std::int64_t exponent)
{
    if (!isUnsigned && exponent < 0) // a fraction, cut off
        return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
    std::uint64_t result = 1, square = std::uint64_t(base);
    for (auto rest = std::uint64_t(exponent); rest != 0; rest >>= 1) {
        if (rest & 1)
            result *= square;
        square *= square;
    }
    return wrapped(result);
}

/// Evaluates functions of integers. If `isUnsigned`, the bits are those of an unsigned 64-bit
/// integer.
template <Fn fn, bool isUnsigned> std::int64_t ofIntegers(std::int64_t a, std::int64_t b = 0)
{
    const auto x = std::uint64_t(a), y = std::uint64_t(b);
    if constexpr (fn == Fn::Negate)
        return wrapped(0 - x);
    else if constexpr (fn == Fn::Abs)
        return isUnsigned || a >= 0 ? a : wrapped(0 - x);
    else if constexpr (fn == Fn::Sign)
        return isUnsigned ? x != 0 : (a > 0) - (a < 0);
    else if constexpr (fn == Fn::Floor || fn == Fn::Ceil || fn == Fn::Round)
        return a;
    else if constexpr (fn == Fn::BitNot)
        return ~a;
    else if constexpr (fn == Fn::Add)
        return wrapped(x + y);
    else if constexpr (fn == Fn::Sub)
        return wrapped(x - y);
    else if constexpr (fn == Fn::Mul)
        return wrapped(x * y);
    else if constexpr (fn == Fn::Div) {
        if (b == 0)
            return 0;
        if (isUnsigned)
            return wrapped(x / y);
        return b == -1 ? wrapped(0 - x) : a / b; // the minimum divided by -1 wraps around
    } else if constexpr (fn == Fn::FloorDiv) {
        const std::int64_t quotient = ofIntegers<Fn::Div, isUnsigned>(a, b);
        const std::int64_t rest = ofIntegers<Fn::Fmod, isUnsigned>(a, b);
        return !isUnsigned && rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
    } else if constexpr (fn == Fn::Fmod) {
        if (b == 0 || (!isUnsigned && b == -1))
            return 0;
        return isUnsigned ? wrapped(x % y) : a % b;
    } else if constexpr (fn == Fn::Mod) {
        const std::int64_t rest = ofIntegers<Fn::Fmod, isUnsigned>(a, b);
        return !isUnsigned && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (fn == Fn::Pow)
        return power<isUnsigned>(a, b);
    else if constexpr (fn == Fn::Min)
        return (isUnsigned ? x < y : a < b) ? a : b;
    else if constexpr (fn == Fn::Max)
        return (isUnsigned ? x > y : a > b) ? a : b;
    else if constexpr (fn == Fn::BitAnd)
        return a & b;
    else if constexpr (fn == Fn::BitOr)
        return a | b;
    else if constexpr (fn == Fn::BitXor)
        return a ^ b;
    else if constexpr (fn == Fn::ShiftLeft)
        return y < 64 ? wrapped(x << y) : 0;
    else if constexpr (fn == Fn::ShiftRight)
        return isUnsigned ? (y < 64 ? wrapped(x >> y) : 0) : a >> std::min(y, std::uint64_t(63));
    else if constexpr (fn == Fn::Not)
        return a == 0;
    else if constexpr (fn == Fn::And)
        return (a != 0) & (b != 0);
    else if constexpr (fn == Fn::Or)
        return (a != 0) | (b != 0);
    else if constexpr (fn == Fn::Xor)
        return (a != 0) != (b != 0);
    else if constexpr (fn == Fn::Equal)
        return a == b;
    else if constexpr (fn == Fn::Less)
        return isUnsigned ? x < y : a < b;
    else if constexpr (fn == Fn::LessOrEqual)
        return isUnsigned ? x <= y : a <= b;
    else
        static_assert(fn == Fn::Add, "not a function of integers");
}

/// Evaluates functions from reals to 0 or 1.
template <Fn fn> std::int64_t testOfReals(double a, double b = 0)
{
    if constexpr (fn == Fn::IsNan)
        return a != a;
    else if constexpr (fn == Fn::IsInf)
        return std::fabs(a) > std::numeric_limits<double>::max();
    else if constexpr (fn == Fn::Equal)
        return a == b;
    else if constexpr (fn == Fn::Less)
        return a < b;
    else if constexpr (fn == Fn::LessOrEqual)
        return a <= b;
    else
        static_assert(fn == Fn::Equal, "not a test of reals");
}

// The part that visitOfReals() and visitOfIntegers() have in common.
#define GRAPHLOOM_CASE(name)                                                                       \
    case Fn::name:                                                                                 \
        return visit.template operator()<Fn::name>();
#define GRAPHLOOM_ARITHMETIC                                                                       \
    GRAPHLOOM_CASE(Negate)                                                                         \
    GRAPHLOOM_CASE(Abs)                                                                            \
    GRAPHLOOM_CASE(Sign)                                                                           \
    GRAPHLOOM_CASE(Floor)                                                                          \
    GRAPHLOOM_CASE(Ceil)                                                                           \
    GRAPHLOOM_CASE(Round)                                                                          \
    GRAPHLOOM_CASE(Add)                                                                            \
    GRAPHLOOM_CASE(Sub)                                                                            \
    GRAPHLOOM_CASE(Mul)                                                                            \
    GRAPHLOOM_CASE(Div)                                                                            \
    GRAPHLOOM_CASE(FloorDiv)                                                                       \
    GRAPHLOOM_CASE(Mod)                                                                            \
    GRAPHLOOM_CASE(Fmod)                                                                           \
    GRAPHLOOM_CASE(Pow)                                                                            \
    GRAPHLOOM_CASE(Min)                                                                            \
    GRAPHLOOM_CASE(Max)

/// Calls visit.operator()<fn>() for the function, or visit.unknown() if it is not a function of
/// reals.
template <class Visit> auto visitOfReals(Fn fn, Visit &&visit)
{
    switch (fn) {
        GRAPHLOOM_ARITHMETIC
        GRAPHLOOM_CASE(Sqrt)
        GRAPHLOOM_CASE(Exp)
        GRAPHLOOM_CASE(Log)
        GRAPHLOOM_CASE(Sin)
        GRAPHLOOM_CASE(Cos)
        GRAPHLOOM_CASE(Tan)
        GRAPHLOOM_CASE(Asin)
        GRAPHLOOM_CASE(Acos)
        GRAPHLOOM_CASE(Atan)
        GRAPHLOOM_CASE(Sinh)
        GRAPHLOOM_CASE(Cosh)
        GRAPHLOOM_CASE(Tanh)
        GRAPHLOOM_CASE(Asinh)
        GRAPHLOOM_CASE(Acosh)
        GRAPHLOOM_CASE(Atanh)
        GRAPHLOOM_CASE(Erf)
    default:
        return visit.unknown();
    }
}

template <class Visit> auto visitOfIntegers(Fn fn, Visit &&visit)
{
    switch (fn) {
        GRAPHLOOM_ARITHMETIC
        GRAPHLOOM_CASE(BitNot)
        GRAPHLOOM_CASE(BitAnd)
        GRAPHLOOM_CASE(BitOr)
        GRAPHLOOM_CASE(BitXor)
        GRAPHLOOM_CASE(ShiftLeft)
        GRAPHLOOM_CASE(ShiftRight)
        GRAPHLOOM_CASE(Not)
        GRAPHLOOM_CASE(And)
        GRAPHLOOM_CASE(Or)
        GRAPHLOOM_CASE(Xor)
        GRAPHLOOM_CASE(Equal)
        GRAPHLOOM_CASE(Less)
        GRAPHLOOM_CASE(LessOrEqual)
    default:
        return visit.unknown();
    }
}

template <class Visit> auto visitTestOfReals(Fn fn, Visit &&visit)
{
    switch (fn) {
        GRAPHLOOM_CASE(IsNan)
        GRAPHLOOM_CASE(IsInf)
        GRAPHLOOM_CASE(Equal)
        GRAPHLOOM_CASE(Less)
        GRAPHLOOM_CASE(LessOrEqual)
    default:
        return visit.unknown();
    }
}

#undef GRAPHLOOM_ARITHMETIC
#undef GRAPHLOOM_CASE

/// Tells whether the function gives 0 or 1 for reals.
inline bool isTestOfReals(Fn fn)
{
    return fn == Fn::IsNan || fn == Fn::IsInf || fn == Fn::Equal || fn == Fn::Less ||
           fn == Fn::LessOrEqual;
}

/// Tells whether the function's arguments are truth values.
inline bool isLogical(Fn fn)
{
    return fn == Fn::Not || fn == Fn::And || fn == Fn::Or || fn == Fn::Xor;
}

/// Returns the low bits of an integer as a value of the type; for bool, 1 unless the integer is 0.
inline std::int64_t wrappedTo(DataType type, std::int64_t value)
{
    switch (type) {
    case DataType::Bool:
        return value != 0;
    case DataType::Int4:
        return wrapped(std::uint64_t(value) << 60) >> 60;
    case DataType::Uint4:
        return value & 15;
    case DataType::Int8:
        return std::int8_t(value);
    case DataType::Uint8:
        return std::uint8_t(value);
    case DataType::Int16:
        return std::int16_t(value);
    case DataType::Uint16:
        return std::uint16_t(value);
    case DataType::Int32:
        return std::int32_t(value);
    case DataType::Uint32:
        return std::uint32_t(value);
    default:
        return value;
    }
}

/// Converts a real to an integer. The fraction is cut off; beyond 64 bits the result is the nearest
/// integer, for NaN the minimum; narrower types take the low bits.
inline std::int64_t truncatedTo(DataType type, double value)
{
    constexpr double two63 = 9223372036854775808.0;
    if (type == DataType::Bool)
        return value != 0;
    if (type == DataType::Uint64 && value >= two63)
        return value >= 2 * two63 ? -1 : wrapped(std::uint64_t(value));
    const std::int64_t whole = truncated(value);
    return wrappedTo(type, whole);
}

/// Returns the nearest value of a floating-point type.
inline double roundedTo(DataType type, double value)
{
    if (type == DataType::Float)
        return float(value);
    if (type == DataType::Double || type == DataType::Undefined)
        return value;
    std::byte stored[8]{};
    encodeReal(type, value, stored);
    return decodeReal(type, stored);
}

/// Returns an integer as a value of a floating-point type, rounded once.
inline double convertedTo(DataType type, std::int64_t value, bool isUnsigned)
{
    if (type == DataType::Float)
        return isUnsigned ? float(std::uint64_t(value)) : float(value);
    const double wide = isUnsigned ? double(std::uint64_t(value)) : double(value);
    return roundedTo(type, wide);
}

/// Returns the initial value of a reduction over elements of an integer type if the description
/// gives it as a real: the nearest integer of the type.
inline std::int64_t saturatedTo(DataType type, double value)
{
    if (type == DataType::Uint64)
        return value > 0 ? truncatedTo(type, value) : 0;
    const int bits = std::max(bitsOf(type), 1);
    const double half = std::ldexp(1.0, bits - 1);
    const bool isSigned = isSignedInteger(type);
    const double least = isSigned ? -half : 0;
    if (!(value > least))
        return truncatedTo(DataType::Int64, least);
    if (type == DataType::Bool)
        return 1;
    if (value >= (isSigned ? half : 2 * half))
        return type == DataType::Int64 ? std::numeric_limits<std::int64_t>::max()
                                       : std::int64_t(isSigned ? half : 2 * half) - 1;
    return std::int64_t(value);
}

/// Bounds an index that was looked up in a tensor so that sums with it do not overflow; the bounds
/// lie outside every tensor.
inline std::int64_t boundedIndex(std::int64_t index)
{
    constexpr std::int64_t farthest = std::int64_t{1} << 61;
    return std::clamp(index, -farthest, farthest);
}

/// Tells whether a value replaces the best one so far, for Combine::ArgMax and its variants. NaN
/// counts as better than every number.
template <class T> bool takesOver(Combine combine, bool isUnsigned, T value, T best)
{
    if (value != value || best != best)
        return value != value &&
               (best == best || combine == Combine::ArgMaxLast || combine == Combine::ArgMinLast);
    bool isLess = value < best;
    if (std::is_integral_v<T> && isUnsigned)
        isLess = std::uint64_t(value) < std::uint64_t(best);
    switch (combine) {
    case Combine::ArgMax:
        return !isLess && value != best;
    case Combine::ArgMaxLast:
        return !isLess;
    case Combine::ArgMin:
        return isLess;
    default:
        return isLess || value == best;
    }
}

} // namespace graphloom::scalar
