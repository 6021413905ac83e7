// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/gradient/derivative.h"

#include "engine/ops/describe/expr_edit.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

Expr apply(Fn fn, const Expr &x)
{
    return Expr::unary(fn, x);
}
Expr number(double value, const Expr &like)
{
    return Expr::real(value, like.type());
}

/// Returns d fn(x) / dx, if it exists.
std::optional<Expr> outerDerivative(Fn fn, const Expr &x)
{
    const Expr one = number(1, x);
    switch (fn) {
    case Fn::Negate:
        return number(-1, x);
    case Fn::Abs:
        return apply(Fn::Sign, x);
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
        return number(0, x);
    case Fn::Sqrt:
        return number(0.5, x) / apply(Fn::Sqrt, x);
    case Fn::Exp:
        return apply(Fn::Exp, x);
    case Fn::Log:
        return one / x;
    case Fn::Sin:
        return apply(Fn::Cos, x);
    case Fn::Cos:
        return -apply(Fn::Sin, x);
    case Fn::Tan:
        return one + apply(Fn::Tan, x) * apply(Fn::Tan, x);
    case Fn::Asin:
        return one / apply(Fn::Sqrt, one - x * x);
    case Fn::Acos:
        return number(-1, x) / apply(Fn::Sqrt, one - x * x);
    case Fn::Atan:
        return one / (one + x * x);
    case Fn::Sinh:
        return apply(Fn::Cosh, x);
    case Fn::Cosh:
        return apply(Fn::Sinh, x);
    case Fn::Tanh:
        return one - apply(Fn::Tanh, x) * apply(Fn::Tanh, x);
    case Fn::Asinh:
        return one / apply(Fn::Sqrt, x * x + one);
    case Fn::Acosh:
        return one / apply(Fn::Sqrt, x * x - one);
    case Fn::Atanh:
        return one / (one - x * x);
    case Fn::Erf:
        return number(2 / std::sqrt(M_PI), x) * apply(Fn::Exp, -(x * x));
    default:
        return std::nullopt;
    }
}

class Derivation {
public:
    explicit Derivation(const Variable &variable) : m_variable(variable) {}

    std::optional<Expr> of(const Expr &value) const
    {
        const Expr zero = Expr::real(0, value.type());
        const auto isVariable = [&] {
            return value->fn == m_variable.fn &&
                   (value->fn == Fn::Accumulator || value->index == m_variable.read);
        };
        if (isVariable())
            return Expr::real(1, value.type());
        if (!dependsOn(*value))
            return zero;
        // Step functions: the derivative is 0 wherever it exists.
        if (!isFloatingPoint(value.type()))
            return zero;
        switch (value->fn) {
        case Fn::Cast: {
            const Expr inner = value.argument(0);
            const auto slope = of(inner);
            return slope && isFloatingPoint(inner.type())
                       ? std::optional(inType(*slope, value.type()))
                       : slope;
        }
        case Fn::Select: {
            const auto then = of(value.argument(1)), otherwise = of(value.argument(2));
            if (!then || !otherwise)
                return std::nullopt;
            if (isLiteral(*then, 0) && isLiteral(*otherwise, 0))
                return zero;
            return Expr::select(value.argument(0), *then, *otherwise);
        }
        default:
            return arityOf(value->fn) == 2 ? ofTwo(value) : ofOne(value);
        }
    }

private:
    bool dependsOn(const Expr::Node &node) const
    {
        if (node.fn == m_variable.fn &&
            (node.fn == Fn::Accumulator || node.index == m_variable.read))
            return true;
        return std::ranges::any_of(node.arguments, [this](const auto &argument) {
            return argument && dependsOn(*argument);
        });
    }

    std::optional<Expr> ofOne(const Expr &value) const
    {
        const Expr x = value.argument(0);
        const auto inner = of(x);
        const auto outer = outerDerivative(value->fn, x);
        if (!inner || !outer)
            return std::nullopt;
        return productOf(*outer, *inner);
    }

    std::optional<Expr> ofTwo(const Expr &value) const
    {
        const Expr a = value.argument(0), b = value.argument(1);
        const auto da = of(a), db = of(b);
        if (!da || !db)
            return std::nullopt;
        switch (value->fn) {
        case Fn::Add:
            return sumOf(*da, *db);
        case Fn::Sub:
            return isLiteral(*db, 0) ? da : isLiteral(*da, 0) ? -*db : std::optional(*da - *db);
        case Fn::Mul:
            return sumOf(productOf(*da, b), productOf(a, *db));
        case Fn::Div:
            // a' / b - a b' / b^2
            if (isLiteral(*db, 0))
                return quotientOf(*da, b);
            if (isLiteral(*da, 0))
                return -(productOf(a, *db) / (b * b));
            return *da / b - productOf(a, *db) / (b * b);
        case Fn::Max:
            return Expr::select(Expr::binary(Fn::Less, a, b), *db, *da);
        case Fn::Min:
            return Expr::select(Expr::binary(Fn::Less, b, a), *db, *da);
        case Fn::Pow:
            return ofPower(a, b, *da, *db);
        case Fn::Fmod: // a - b * trunc(a / b)
        case Fn::Mod:
            return isLiteral(*db, 0) ? da : std::nullopt;
        default:
            return std::nullopt;
        }
    }

    /// b a^(b-1) a' + a^b log(a) b'.
    static Expr ofPower(const Expr &a, const Expr &b, const Expr &da, const Expr &db)
    {
        const Expr byBase = productOf(
            Expr::cast(b, a.type()) * Expr::binary(Fn::Pow, a, b - Expr::real(1, b.type())), da);
        if (isLiteral(db, 0))
            return byBase;
        const Expr byExponent = productOf(Expr::binary(Fn::Pow, a, b) * apply(Fn::Log, a), db);
        return sumOf(byBase, byExponent);
    }

    Variable m_variable;
};

} // namespace

std::optional<Expr> derivative(const Expr &value, const Variable &variable)
{
    return Derivation(variable).of(value);
}

} // namespace graphloom
