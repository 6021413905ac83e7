// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra/algebra.h"
#include "engine/ops/algebra/expr_equality.h"

#include <algorithm>

namespace graphloom {

namespace {

Monotony reversed(Monotony m)
{
    return m == Monotony::Increasing   ? Monotony::Decreasing
           : m == Monotony::Decreasing ? Monotony::Increasing
                                       : m;
}
Monotony composed(Monotony outer, Monotony inner)
{
    if (outer == Monotony::None || inner == Monotony::None)
        return Monotony::None;
    if (outer == Monotony::Constant || inner == Monotony::Constant)
        return Monotony::Constant;
    return outer == Monotony::Increasing ? inner : reversed(inner);
}
/// Returns the monotony of a sum, a maximum or a minimum.
Monotony joined(Monotony a, Monotony b)
{
    if (a == b || b == Monotony::Constant)
        return a;
    return a == Monotony::Constant ? b : Monotony::None;
}

/// Returns the monotony of a function of one argument in a range.
Monotony monotonyOf(Fn fn, const Range &x)
{
    switch (fn) {
    case Fn::Cast:
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Exp:
    case Fn::Asin:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Tanh:
    case Fn::Asinh:
    case Fn::Acosh:
    case Fn::Atanh:
    case Fn::Erf:
    case Fn::Sqrt: // where it is defined
    case Fn::Log:
        return Monotony::Increasing;
    case Fn::Negate:
    case Fn::Not:
    case Fn::BitNot:
    case Fn::Acos:
        return Monotony::Decreasing;
    case Fn::Abs:
    case Fn::Cosh:
        return x.least >= 0  ? Monotony::Increasing
               : x.most <= 0 ? Monotony::Decreasing
                             : Monotony::None;
    default:
        return Monotony::None;
    }
}

class MonotonyOf {
public:
    MonotonyOf(int read, std::span<const Range> loads) : m_read(read), m_loads(loads) {}

    Monotony of(const Expr &e) const
    {
        if (!dependsOn(e, m_read))
            return Monotony::Constant;
        if (e->fn == Fn::Load)
            return Monotony::Increasing;
        if (e->fn == Fn::Select)
            return ofSelect(e);
        if (arityOf(e->fn) == 1)
            return composed(monotonyOf(e->fn, range(e.argument(0))), of(e.argument(0)));
        if (arityOf(e->fn) != 2)
            return Monotony::None;
        const Expr a = e.argument(0), b = e.argument(1);
        switch (e->fn) {
        case Fn::Add:
        case Fn::Max:
        case Fn::Min:
            return joined(of(a), of(b));
        case Fn::Sub:
            return joined(of(a), reversed(of(b)));
        case Fn::Mul:
            if (sameExpression(a, b))
                return composed(monotonyOf(Fn::Abs, range(a)), of(a));
            return joined(scaled(of(a), range(b)), scaled(of(b), range(a)));
        case Fn::Div: {
            // The reciprocal decreases on either side of 0.
            const Range divisor = range(b);
            const bool oneSide = divisor.least > 0 || divisor.most < 0;
            if (!dependsOn(b, m_read))
                return oneSide || divisor.least >= 0 || divisor.most <= 0 ? scaled(of(a), divisor)
                                                                          : Monotony::None;
            return oneSide && !dependsOn(a, m_read) ? scaled(reversed(of(b)), range(a))
                                                    : Monotony::None;
        }
        default:
            return Monotony::None;
        }
    }

private:
    Range range(const Expr &e) const { return rangeOf(e, m_loads); }
    static Monotony scaled(Monotony m, const Range &factor)
    {
        if (m == Monotony::Constant)
            return m;
        return factor.least >= 0 ? m : factor.most <= 0 ? reversed(m) : Monotony::None;
    }

    /// x < c ? f(x) : g(x), and c < x ? g(x) : f(x), increase if f and g do and f(c) <= g(c).
    Monotony ofSelect(const Expr &e) const
    {
        const Expr condition = e.argument(0);
        if (condition->fn != Fn::Less)
            return Monotony::None;
        const bool below = condition.argument(0)->fn == Fn::Load;
        const Expr bound = condition.argument(below ? 1 : 0), x = condition.argument(below ? 0 : 1);
        if (x->fn != Fn::Load || x->index != m_read ||
            (bound->fn != Fn::Real && bound->fn != Fn::Integer))
            return Monotony::None;
        const double c = bound->fn == Fn::Real ? bound->real : double(bound->integer);
        const Expr left = e.argument(below ? 1 : 2), right = e.argument(below ? 2 : 1);
        std::vector<Range> loads(m_loads.begin(), m_loads.end());
        loads.resize(std::max(loads.size(), std::size_t(m_read) + 1));
        Range &own = loads[std::size_t(m_read)];
        const Range all = own;
        own = {std::min(all.least, c), std::min(all.most, c)};
        const Monotony first = MonotonyOf(m_read, loads).of(left);
        own = {std::max(all.least, c), std::max(all.most, c)};
        const Monotony second = MonotonyOf(m_read, loads).of(right);
        own = Range::exactly(c);
        const Range atLeft = rangeOf(left, loads), atRight = rangeOf(right, loads);
        const Monotony both = joined(first, second);
        if (both != Monotony::Decreasing && atLeft.most <= atRight.least)
            return both == Monotony::Constant ? Monotony::Increasing : both;
        if (both != Monotony::Increasing && atLeft.least >= atRight.most)
            return both == Monotony::Constant ? Monotony::Decreasing : both;
        return Monotony::None;
    }

    int m_read;
    std::span<const Range> m_loads;
};

} // namespace

Monotony monotonyOf(const Expr &body, int read, std::span<const Range> loads)
{
    return MonotonyOf(read, loads).of(body);
}

} // namespace graphloom
