// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra/range.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graphloom {

namespace {

constexpr Range anything;

/// Returns the range of a function that increases between the bounds.
template <class Function> Range increasing(const Range &x, Function f)
{
    return {f(x.least), f(x.most)};
}

/// Returns the hull of the products of the bounds; 0 times infinity, which is NaN, counts as 0.
Range product(const Range &a, const Range &b)
{
    Range result{Range::infinity, -Range::infinity};
    for (const double left : {a.least, a.most})
        for (const double right : {b.least, b.most}) {
            const double corner = left == 0 || right == 0 ? 0 : left * right;
            result = {std::min(result.least, corner), std::max(result.most, corner)};
        }
    return result;
}

/// Returns the range of the quotient; division by 0 does not yield a number.
Range quotient(const Range &a, const Range &b)
{
    if (b.least < 0 && b.most > 0)
        return anything;
    const bool negative = b.most <= 0 && b.least < 0;
    const auto inverse = [](double bound, double ofZero) {
        return bound == 0 ? ofZero : 1 / bound;
    };
    return product(
        a, {inverse(b.most, -Range::infinity), inverse(b.least, negative ? 0 : Range::infinity)});
}

Range magnitude(const Range &x)
{
    if (x.least >= 0)
        return x;
    if (x.most <= 0)
        return {-x.most, -x.least};
    return {0, std::max(-x.least, x.most)};
}

Range power(const Range &base, const Range &exponent)
{
    const bool even = exponent.least == exponent.most && std::fmod(exponent.least, 2) == 0;
    if (even && exponent.least >= 0) {
        const Range m = magnitude(base);
        return {std::pow(m.least, exponent.least), std::pow(m.most, exponent.least)};
    }
    return even || base.least >= 0 ? Range::atLeast(0) : anything;
}

/// Returns the range of a function of one argument.
Range ofFunction(Fn fn, const Range &x)
{
    const auto between = [](double least, double most) { return Range{least, most}; };
    switch (fn) {
    case Fn::Negate:
        return {-x.most, -x.least};
    case Fn::Abs:
        return magnitude(x);
    case Fn::Sign:
        return increasing(x, [](double v) { return double((v > 0) - (v < 0)); });
    case Fn::Floor:
        return increasing(x, [](double v) { return std::floor(v); });
    case Fn::Ceil:
        return increasing(x, [](double v) { return std::ceil(v); });
    case Fn::Round:
        return increasing(x, [](double v) { return std::nearbyint(v); });
    case Fn::Sqrt:
        return {std::sqrt(std::max(x.least, 0.0)), std::sqrt(std::max(x.most, 0.0))};
    case Fn::Exp:
        return increasing(x, [](double v) { return std::exp(v); });
    case Fn::Log:
        return {x.least > 0 ? std::log(x.least) : -Range::infinity,
                x.most > 0 ? std::log(x.most) : -Range::infinity};
    case Fn::Sin:
    case Fn::Cos:
        return between(-1, 1);
    case Fn::Asin:
        return between(-M_PI_2, M_PI_2);
    case Fn::Acos:
        return between(0, M_PI);
    case Fn::Atan:
        return increasing(x, [](double v) { return std::atan(v); });
    case Fn::Sinh:
        return increasing(x, [](double v) { return std::sinh(v); });
    case Fn::Cosh: {
        const Range m = magnitude(x);
        return {std::cosh(m.least), std::cosh(m.most)};
    }
    case Fn::Tanh:
        return increasing(x, [](double v) { return std::tanh(v); });
    case Fn::Asinh:
        return increasing(x, [](double v) { return std::asinh(v); });
    case Fn::Acosh:
        return Range::atLeast(0);
    case Fn::Erf:
        return increasing(x, [](double v) { return std::erf(v); });
    case Fn::Not:
        return {1 - x.most, 1 - x.least};
    case Fn::IsNan:
    case Fn::IsInf:
        return between(0, 1);
    default:
        return anything;
    }
}

bool sameLoad(const Expr::Node &a, const Expr::Node &b)
{
    if (&a == &b)
        return true;
    if (a.fn != b.fn || a.index != b.index || a.type != b.type)
        return false;
    return a.fn == Fn::Load || a.fn == Fn::Axis || a.fn == Fn::Accumulator;
}

class Evaluation {
public:
    Evaluation(std::span<const Range> loads, const Range &accumulator)
        : m_loads(loads), m_accumulator(accumulator)
    {
    }

    Range of(const Expr::Node &node) const
    {
        const Range result = unclamped(node);
        if (isFloatingPoint(node.type))
            return result;
        // Integers wrap: a result that may leave the type's range may be any number in it.
        const Range type = rangeOf(node.type);
        return result.within(type) ? result : type;
    }

private:
    Range unclamped(const Expr::Node &node) const
    {
        const auto argument = [&](std::size_t i) { return of(*node.arguments[i]); };
        switch (node.fn) {
        case Fn::Load:
            return std::size_t(node.index) < m_loads.size() ? m_loads[std::size_t(node.index)]
                                                            : rangeOf(node.type);
        case Fn::Real:
            return Range::exactly(node.real);
        case Fn::Integer:
            return Range::exactly(double(node.integer));
        case Fn::Accumulator:
            return m_accumulator;
        case Fn::Inside:
            return {0, 1};
        case Fn::Axis:
            return Range::atLeast(0);
        case Fn::Table:
            return ofTable(node);
        case Fn::Cast: {
            // Conversion of reals to integers rounds towards zero.
            const Range x = argument(0);
            if (isFloatingPoint(node.type) || node.type == DataType::Bool)
                return node.type == DataType::Bool ? Range{0, 1} : x;
            return {std::trunc(x.least), std::trunc(x.most)};
        }
        case Fn::Add:
        case Fn::Sub: {
            const Range a = argument(0);
            Range b = argument(1);
            if (node.fn == Fn::Sub)
                b = {-b.most, -b.least};
            const double least = a.least + b.least, most = a.most + b.most;
            return {std::isnan(least) ? -Range::infinity : least,
                    std::isnan(most) ? Range::infinity : most};
        }
        case Fn::Mul:
            if (sameLoad(*node.arguments[0], *node.arguments[1])) {
                const Range m = magnitude(argument(0));
                return {m.least * m.least, m.most * m.most};
            }
            return product(argument(0), argument(1));
        case Fn::Div:
            return quotient(argument(0), argument(1));
        case Fn::Pow:
            return power(argument(0), argument(1));
        case Fn::Min: {
            const Range a = argument(0), b = argument(1);
            return {std::min(a.least, b.least), std::min(a.most, b.most)};
        }
        case Fn::Max: {
            const Range a = argument(0), b = argument(1);
            return {std::max(a.least, b.least), std::max(a.most, b.most)};
        }
        case Fn::Select:
            return hull(argument(1), argument(2));
        default:
            if (isPredicate(node.fn))
                return {0, 1};
            return arityOf(node.fn) == 1 ? ofFunction(node.fn, argument(0)) : rangeOf(node.type);
        }
    }

    static Range ofTable(const Expr::Node &node)
    {
        Range result{Range::infinity, -Range::infinity};
        for (const Dim &dim : *node.table) {
            const double least = double(dim.lowerBound().value_or(0));
            const auto value = dim.constant();
            result = hull(result, value ? Range::exactly(double(*value)) : Range::atLeast(least));
        }
        return result;
    }

    std::span<const Range> m_loads;
    const Range &m_accumulator;
};

double pointsOfReduction(const Stage &stage)
{
    double points = 1;
    for (const Axis &axis : stage.axes)
        if (axis.kind == Axis::Kind::Reduce)
            points *= axis.extent.isConstant() ? double(axis.extent.value()) : Range::infinity;
    return points;
}

/// Returns the range of a reduction over points in a range.
Range gathered(const Stage &stage, const Range &point)
{
    switch (stage.combine) {
    case Combine::None:
        return point;
    case Combine::Max:
    case Combine::Min:
        // Without any point it is the initial value.
        return pointsOfReduction(stage) > 0 ? point : hull(point, Range::exactly(stage.initial));
    case Combine::Sum: {
        const double points = pointsOfReduction(stage);
        return product(point, std::isinf(points) ? Range::atLeast(0) : Range::exactly(points));
    }
    case Combine::Product:
        return point.within({-1, 1}) ? Range{point.least < 0 ? -1.0 : 0.0, 1}
               : point.least >= 0    ? Range::atLeast(0)
                                     : anything;
    default:
        return Range::atLeast(0); // positions
    }
}

} // namespace

Range hull(const Range &a, const Range &b)
{
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

Range rangeOf(DataType type)
{
    if (type == DataType::Bool)
        return {0, 1};
    if (!isIntegral(type))
        return anything;
    const int bits = bitsOf(type);
    if (isUnsignedInteger(type))
        return {0, std::exp2(bits) - 1};
    return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

Range rangeOf(const Expr &body, std::span<const Range> loads, const Range &accumulator)
{
    return Evaluation(loads, accumulator).of(*body);
}

Range rangeOf(const Description &description, int output, std::span<const Range> inputs)
{
    const DataType type = description.values[std::size_t(output)].type;
    if (description.isOpaque())
        return rangeOf(type);
    std::vector<std::optional<Range>> values(description.values.size());
    for (const Stage &stage : description.stages) {
        std::vector<Range> loads;
        for (const Read &read : stage.reads) {
            const auto index = std::size_t(read.operand.index);
            Range range = anything;
            if (read.operand.kind == Operand::Kind::Value)
                range = values[index].value_or(anything);
            else if (index < inputs.size())
                range = inputs[index];
            if (read.outside == Read::Outside::Value)
                range = hull(range, Range::exactly(read.outsideValue));
            loads.push_back(range);
        }
        const Range sum = gathered(stage, rangeOf(stage.body, loads));
        const Range written = stage.finish.empty() ? sum : rangeOf(stage.finish, loads, sum);
        auto &value = values[std::size_t(stage.value)];
        value = value ? hull(*value, written) : written; // several stages may write parts
    }
    const Range known = values[std::size_t(output)].value_or(anything), possible = rangeOf(type);
    return known.within(possible) ? known : possible;
}

} // namespace graphloom
