// SPDX-License-Identifier: Apache-2.0
// Facts of scalar functions.
#include "engine/ops/algebra/algebra.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

/// Properties of a function of two arguments over its domain.
struct BinaryFacts {
    Fn fn;
    bool commutative = false, associative = false, idempotent = false;
};
constexpr std::array binaryFacts{
    BinaryFacts{Fn::Add, true, true, false},    BinaryFacts{Fn::Mul, true, true, false},
    BinaryFacts{Fn::Min, true, true, true},     BinaryFacts{Fn::Max, true, true, true},
    BinaryFacts{Fn::And, true, true, true},     BinaryFacts{Fn::Or, true, true, true},
    BinaryFacts{Fn::Xor, true, true, false},    BinaryFacts{Fn::BitAnd, true, true, true},
    BinaryFacts{Fn::BitOr, true, true, true},   BinaryFacts{Fn::BitXor, true, true, false},
    BinaryFacts{Fn::Equal, true, false, false},
};
BinaryFacts factsOf(Fn fn)
{
    const auto found = std::ranges::find(binaryFacts, fn, &BinaryFacts::fn);
    return found != binaryFacts.end() ? *found : BinaryFacts{fn};
}

} // namespace

bool isCommutative(Fn fn)
{
    return factsOf(fn).commutative;
}

bool isAssociative(Fn fn)
{
    return factsOf(fn).associative;
}

bool isIdempotent(Fn fn)
{
    return factsOf(fn).idempotent;
}

std::optional<double> identityOf(Fn fn, DataType type)
{
    switch (fn) {
    case Fn::Add:
    case Fn::Sub:
    case Fn::Or:
    case Fn::Xor:
    case Fn::BitOr:
    case Fn::BitXor:
    case Fn::ShiftLeft:
    case Fn::ShiftRight:
        return 0;
    case Fn::Mul:
    case Fn::Div:
    case Fn::Pow:
    case Fn::And:
        return 1;
    case Fn::Min:
        return rangeOf(type).most;
    case Fn::Max:
        return rangeOf(type).least;
    case Fn::BitAnd: // all bits
        return isUnsignedInteger(type) ? rangeOf(type).most : -1;
    default:
        return std::nullopt;
    }
}

std::optional<double> absorberOf(Fn fn, DataType type)
{
    switch (fn) {
    case Fn::Mul:
    case Fn::And:
    case Fn::BitAnd:
        return 0;
    case Fn::Or:
        return 1;
    case Fn::Min:
        return identityOf(Fn::Max, type);
    case Fn::Max:
        return identityOf(Fn::Min, type);
    case Fn::BitOr:
        return identityOf(Fn::BitAnd, type);
    default:
        return std::nullopt;
    }
}

std::optional<Undoing> undoingOf(Fn fn)
{
    switch (fn) {
    case Fn::Add:
        return Undoing{Fn::Sub};
    case Fn::Sub:
        return Undoing{Fn::Add};
    case Fn::Mul:
        return Undoing{Fn::Div, false};
    case Fn::Div:
        return Undoing{Fn::Mul, false};
    case Fn::Xor:
    case Fn::BitXor:
        return Undoing{fn};
    default:
        return std::nullopt;
    }
}

std::optional<Fn> groupOf(Fn fn)
{
    if (fn == Fn::Sub)
        return Fn::Add;
    return fn == Fn::Div ? std::optional(Fn::Mul) : std::nullopt;
}

std::optional<Inverse> inverseOf(Fn fn)
{
    switch (fn) {
    case Fn::Negate:
    case Fn::Not:
    case Fn::BitNot:
        return Inverse{fn, {}};
    case Fn::Exp:
        return Inverse{Fn::Log, {}};
    case Fn::Log: // Log of 0 is minus infinity, and Exp of that is 0
        return Inverse{Fn::Exp, Range::atLeast(0)};
    case Fn::Sinh:
        return Inverse{Fn::Asinh, {}};
    case Fn::Asinh:
        return Inverse{Fn::Sinh, {}};
    case Fn::Cosh:
        return Inverse{Fn::Acosh, Range::atLeast(0)};
    case Fn::Acosh:
        return Inverse{Fn::Cosh, Range::atLeast(1)};
    case Fn::Tanh:
        return Inverse{Fn::Atanh, {}};
    case Fn::Atanh:
        return Inverse{Fn::Tanh, {-1, 1}};
    case Fn::Asin:
        return Inverse{Fn::Sin, {-1, 1}};
    case Fn::Acos:
        return Inverse{Fn::Cos, {-1, 1}};
    case Fn::Atan:
        return Inverse{Fn::Tan, {}};
    default:
        return std::nullopt;
    }
}

} // namespace graphloom
