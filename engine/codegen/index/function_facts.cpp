// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/index/function_facts.h"

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

using Form = FunctionFacts::Form;

/// Indexed by Fn.
constexpr auto facts = std::to_array<FunctionFacts>({
    {Fn::Load, 0},
    {Fn::Inside, 0},
    {Fn::Axis, 0},
    {Fn::Real, 0},
    {Fn::Integer, 0},
    {Fn::Table, 0},
    {Fn::Accumulator, 0},
    {Fn::Cast, 0},
    {Fn::Negate, 1},
    {Fn::Abs, 1, Form::Named},
    {Fn::Sign, 1},
    {Fn::Not, 1},
    {Fn::BitNot, 1},
    {Fn::Floor, 1, Form::Named},
    {Fn::Ceil, 1, Form::Named},
    {Fn::Round, 1, Form::Named},
    {Fn::Sqrt, 4, Form::Named},
    {Fn::Exp, 12, Form::Named},
    {Fn::Log, 12, Form::Named},
    {Fn::Sin, 12, Form::Named},
    {Fn::Cos, 12, Form::Named},
    {Fn::Tan, 12, Form::Named},
    {Fn::Asin, 12, Form::Named},
    {Fn::Acos, 12, Form::Named},
    {Fn::Atan, 12, Form::Named},
    {Fn::Sinh, 12, Form::Named},
    {Fn::Cosh, 12, Form::Named},
    {Fn::Tanh, 12, Form::Named},
    {Fn::Asinh, 12, Form::Named},
    {Fn::Acosh, 12, Form::Named},
    {Fn::Atanh, 12, Form::Named},
    {Fn::Erf, 12, Form::Named},
    {Fn::IsNan, 1},
    {Fn::IsInf, 1},
    {Fn::Add, 1, Form::Infix},
    {Fn::Sub, 1, Form::Infix},
    {Fn::Mul, 1, Form::Infix},
    {Fn::Div, 4, Form::Infix},
    {Fn::FloorDiv, 16},
    {Fn::Mod, 16},
    {Fn::Fmod, 16},
    {Fn::Pow, 16, Form::Named},
    {Fn::Min, 1, Form::Named},
    {Fn::Max, 1, Form::Named},
    {Fn::And, 1},
    {Fn::Or, 1},
    {Fn::Xor, 1},
    {Fn::BitAnd, 1},
    {Fn::BitOr, 1},
    {Fn::BitXor, 1},
    {Fn::ShiftLeft, 1},
    {Fn::ShiftRight, 1},
    {Fn::Equal, 1, Form::Infix},
    {Fn::Less, 1, Form::Infix},
    {Fn::LessOrEqual, 1, Form::Infix},
    {Fn::Select, 1},
});
static_assert(facts.size() == std::size_t(Fn::Select) + 1);
static_assert(std::ranges::adjacent_find(facts, std::ranges::greater_equal(), &FunctionFacts::fn) ==
              facts.end());

} // namespace

const FunctionFacts &factsOf(Fn fn)
{
    return facts[std::size_t(fn)];
}

} // namespace graphloom
