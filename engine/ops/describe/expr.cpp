// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/expr.h"

#include "engine/base/truncate.h"

#include <cassert>

namespace graphloom {

namespace {

struct FnFacts {
    std::string_view name;
    int arity;
};

/// Indexed by Fn; the order is that of the enumeration.
constexpr FnFacts facts[] = {
    {"load", 0},  {"inside", 0}, {"axis", 0},     {"real", 0},  {"integer", 0}, {"table", 1},
    {"acc", 0},   {"cast", 1},   {"-", 1},        {"abs", 1},   {"sign", 1},    {"not", 1},
    {"~", 1},     {"floor", 1},  {"ceil", 1},     {"round", 1}, {"sqrt", 1},    {"exp", 1},
    {"log", 1},   {"sin", 1},    {"cos", 1},      {"tan", 1},   {"asin", 1},    {"acos", 1},
    {"atan", 1},  {"sinh", 1},   {"cosh", 1},     {"tanh", 1},  {"asinh", 1},   {"acosh", 1},
    {"atanh", 1}, {"erf", 1},    {"isnan", 1},    {"isinf", 1}, {"+", 2},       {"-", 2},
    {"*", 2},     {"/", 2},      {"floordiv", 2}, {"mod", 2},   {"fmod", 2},    {"pow", 2},
    {"min", 2},   {"max", 2},    {"and", 2},      {"or", 2},    {"xor", 2},     {"&", 2},
    {"|", 2},     {"^", 2},      {"<<", 2},       {">>", 2},    {"==", 2},      {"<", 2},
    {"<=", 2},    {"select", 3},
};
static_assert(std::size(facts) == std::size_t(Fn::Select) + 1);

} // namespace

std::string_view nameOf(Fn fn)
{
    return facts[std::size_t(fn)].name;
}

bool isElementary(Fn fn)
{
    return (fn >= Fn::Sqrt && fn <= Fn::Erf) || fn == Fn::Pow;
}

bool isPredicate(Fn fn)
{
    switch (fn) {
    case Fn::Not:
    case Fn::IsNan:
    case Fn::IsInf:
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
    case Fn::Equal:
    case Fn::Less:
    case Fn::LessOrEqual:
        return true;
    default:
        return false;
    }
}

int arityOf(Fn fn)
{
    return facts[std::size_t(fn)].arity;
}

namespace {

Expr::Node leaf(Fn fn, DataType type, int index = 0)
{
    Expr::Node node{};
    node.fn = fn;
    node.type = type;
    node.index = index;
    return node;
}

} // namespace

Expr::Expr(Node node) : m_node(std::make_shared<const Node>(std::move(node))) {}

Expr::Expr(double value) : Expr(real(value, DataType::Undefined)) {}

Expr Expr::real(double value, DataType type)
{
    Node node = leaf(Fn::Real, type);
    node.real = value;
    return Expr(std::move(node));
}

Expr Expr::integer(std::int64_t value, DataType type)
{
    Node node = leaf(Fn::Integer, type);
    node.integer = value;
    return Expr(std::move(node));
}

Expr Expr::load(int read, DataType type)
{
    return Expr(leaf(Fn::Load, type, read));
}

Expr Expr::inside(int read)
{
    return Expr(leaf(Fn::Inside, DataType::Bool, read));
}

Expr Expr::axis(int axis)
{
    return Expr(leaf(Fn::Axis, DataType::Int64, axis));
}

Expr Expr::table(std::vector<Dim> values, const Expr &index)
{
    Node node = leaf(Fn::Table, DataType::Int64);
    node.table = std::make_shared<const std::vector<Dim>>(std::move(values));
    node.arguments[0] = index.m_node;
    return Expr(std::move(node));
}

Expr Expr::accumulator(DataType type)
{
    return Expr(leaf(Fn::Accumulator, type));
}

Expr Expr::cast(const Expr &value, DataType type)
{
    Node node = leaf(Fn::Cast, type);
    node.arguments[0] = value.m_node;
    return Expr(std::move(node));
}

Expr Expr::unary(Fn fn, const Expr &a)
{
    assert(arityOf(fn) == 1);
    Node node = leaf(fn, isPredicate(fn) ? DataType::Bool : a.type());
    node.arguments[0] = a.m_node;
    return Expr(std::move(node));
}

namespace {

/// Gives a literal written as a plain double the type of the other operand.
Expr adapted(const Expr &literal, DataType type)
{
    if (literal->fn != Fn::Real || literal.type() != DataType::Undefined)
        return literal;
    return isIntegral(type) ? Expr::integer(truncated(literal->real), type)
                            : Expr::real(literal->real, type);
}

} // namespace

Expr Expr::binary(Fn fn, const Expr &a, const Expr &b)
{
    assert(arityOf(fn) == 2);
    const Expr left = adapted(a, b.type()), right = adapted(b, left.type());
    Node node = leaf(fn, isPredicate(fn) ? DataType::Bool : left.type());
    node.arguments = {left.m_node, right.m_node, nullptr};
    return Expr(std::move(node));
}

Expr Expr::select(const Expr &condition, const Expr &then, const Expr &otherwise)
{
    const Expr left = adapted(then, otherwise.type()), right = adapted(otherwise, left.type());
    Node node = leaf(Fn::Select, left.type());
    node.arguments = {condition.m_node, left.m_node, right.m_node};
    return Expr(std::move(node));
}

} // namespace graphloom
