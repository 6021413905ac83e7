// SPDX-License-Identifier: Apache-2.0
// Properties of expressions, derived from those of their functions.
#include "engine/ops/algebra/algebra.h"
#include "engine/ops/algebra/expr_equality.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

enum class Parity { Neither, Even, Odd };

Parity parityOf(Fn fn)
{
    switch (fn) {
    case Fn::Abs:
    case Fn::Cos:
    case Fn::Cosh:
    case Fn::IsNan:
    case Fn::IsInf:
        return Parity::Even;
    case Fn::Cast:
    case Fn::Negate:
    case Fn::Sign:
    case Fn::Round:
    case Fn::Sin:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Tanh:
    case Fn::Asinh:
    case Fn::Atanh:
    case Fn::Erf:
        return Parity::Odd;
    default:
        return Parity::Neither;
    }
}

Parity parityOf(const Expr &e, int read)
{
    if (!dependsOn(e, read))
        return Parity::Even;
    if (e->fn == Fn::Load)
        return Parity::Odd;
    if (arityOf(e->fn) == 1) {
        const Parity inner = parityOf(e.argument(0), read);
        return inner == Parity::Odd ? parityOf(e->fn) : inner;
    }
    if (arityOf(e->fn) != 2)
        return Parity::Neither;
    const Parity a = parityOf(e.argument(0), read), b = parityOf(e.argument(1), read);
    if (a == Parity::Neither || b == Parity::Neither)
        return Parity::Neither;
    switch (e->fn) {
    case Fn::Add:
    case Fn::Sub:
        return a == b ? a : Parity::Neither;
    case Fn::Mul:
    case Fn::Div:
        return a == b ? Parity::Even : Parity::Odd;
    default:
        return a == Parity::Even && b == Parity::Even ? Parity::Even : Parity::Neither;
    }
}

/// Adds the functions t that a function of one argument makes of another one of two, for arguments
/// in a range: t(fn(x), fn(y)) = fn(from(x, y)).
void addImages(Fn fn, Fn from, const Range &x, std::set<Fn> &images)
{
    switch (fn) {
    case Fn::Exp:
        if (from == Fn::Add)
            images.insert(Fn::Mul);
        if (from == Fn::Sub)
            images.insert(Fn::Div);
        break;
    case Fn::Log:
        if (x.least >= 0 && from == Fn::Mul)
            images.insert(Fn::Add);
        if (x.least >= 0 && from == Fn::Div)
            images.insert(Fn::Sub);
        break;
    case Fn::Sqrt:
        if (x.least >= 0 && (from == Fn::Mul || from == Fn::Div))
            images.insert(from);
        break;
    case Fn::Abs:
    case Fn::Sign:
        if (from == Fn::Mul || (from == Fn::Div && fn == Fn::Abs))
            images.insert(from);
        break;
    case Fn::Negate:
        if (from == Fn::Add || from == Fn::Sub)
            images.insert(from);
        break;
    case Fn::Not:
    case Fn::BitNot: { // De Morgan
        constexpr std::pair<Fn, Fn> duals[] = {
            {Fn::And, Fn::Or}, {Fn::Or, Fn::And}, {Fn::BitAnd, Fn::BitOr}, {Fn::BitOr, Fn::BitAnd}};
        for (const auto &[a, b] : duals)
            if (from == a)
                images.insert(b);
        break;
    }
    default:
        break;
    }
}

class Images {
public:
    Images(int read, std::span<const Range> loads) : m_read(read), m_loads(loads) {}

    std::set<Fn> of(const Expr &e, Fn from) const
    {
        std::set<Fn> images;
        if (!dependsOn(e, m_read))
            return images;
        if (e->fn == Fn::Load)
            return {from};
        if (from == Fn::Min || from == Fn::Max) {
            const Monotony m = monotonyOf(e, m_read, m_loads);
            if (m == Monotony::Increasing)
                images.insert(from);
            if (m == Monotony::Decreasing)
                images.insert(from == Fn::Min ? Fn::Max : Fn::Min);
            return images;
        }
        if (arityOf(e->fn) == 1) {
            for (const Fn between : of(e.argument(0), from))
                addImages(e->fn, between, rangeOf(e.argument(0), m_loads), images);
            return images;
        }
        if (arityOf(e->fn) != 2)
            return images;
        const Expr a = e.argument(0), b = e.argument(1);
        const bool left = dependsOn(a, m_read), right = dependsOn(b, m_read);
        if (e->fn == Fn::Div && a->fn == Fn::Real && a->real == 1) { // the reciprocal
            for (const Fn between : of(b, from))
                if (between == Fn::Mul || between == Fn::Div)
                    images.insert(between);
            return images;
        }
        if (left && right)
            addProducts(e->fn, of(a, from), of(b, from), images);
        else
            for (const Fn between : of(left ? a : b, from))
                addPartial(e->fn, left, between, images);
        return images;
    }

private:
    /// Adds Mul if the images of both factors contain it: products of products are products.
    static void addProducts(Fn fn, const std::set<Fn> &a, const std::set<Fn> &b,
                            std::set<Fn> &images)
    {
        if (fn != Fn::Mul && fn != Fn::Div)
            return;
        for (const Fn to : {Fn::Mul, Fn::Div})
            if (a.contains(to) && b.contains(to))
                images.insert(to);
    }

    /// Adds the images of fn(x, c), or fn(c, x), as a function of x.
    static void addPartial(Fn fn, bool left, Fn from, std::set<Fn> &images)
    {
        const auto keeps = [&](std::initializer_list<Fn> all) {
            if (std::ranges::find(all, from) != all.end())
                images.insert(from);
        };
        switch (fn) {
        case Fn::Mul:
            return keeps({Fn::Add, Fn::Sub});
        case Fn::Div:
            if (left)
                keeps({Fn::Add, Fn::Sub});
            return;
        case Fn::And:
            return keeps({Fn::And, Fn::Or, Fn::Xor});
        case Fn::BitAnd:
            return keeps({Fn::BitAnd, Fn::BitOr, Fn::BitXor});
        case Fn::Or:
            return keeps({Fn::And, Fn::Or});
        case Fn::BitOr:
            return keeps({Fn::BitAnd, Fn::BitOr});
        case Fn::ShiftLeft:
            if (left)
                keeps({Fn::Add, Fn::Sub, Fn::BitAnd, Fn::BitOr, Fn::BitXor});
            return;
        case Fn::ShiftRight:
            if (left)
                keeps({Fn::BitAnd, Fn::BitOr, Fn::BitXor});
            return;
        default:
            return;
        }
    }

    int m_read;
    std::span<const Range> m_loads;
};

} // namespace

bool isEven(const Expr &body, int read)
{
    return dependsOn(body, read) && parityOf(body, read) == Parity::Even;
}

bool isOdd(const Expr &body, int read)
{
    return parityOf(body, read) == Parity::Odd;
}

bool isAffine(const Expr &e, int read)
{
    if (!dependsOn(e, read) || e->fn == Fn::Load)
        return true;
    const auto affine = [&](int i) { return isAffine(e.argument(i), read); };
    const auto free = [&](int i) { return !dependsOn(e.argument(i), read); };
    switch (e->fn) {
    case Fn::Negate:
        return affine(0);
    case Fn::Add:
    case Fn::Sub:
        return affine(0) && affine(1);
    case Fn::Mul:
        return (affine(0) && free(1)) || (free(0) && affine(1));
    case Fn::Div:
        return affine(0) && free(1);
    default:
        return false;
    }
}

std::set<Fn> imagesOf(const Expr &body, int read, Fn from, std::span<const Range> loads)
{
    return Images(read, loads).of(body, from);
}

std::optional<Range> fixedPointsOf(const Expr &e, int read)
{
    if (e->fn == Fn::Load)
        return e->index == read ? std::optional(Range()) : std::nullopt;
    const auto number = [&](int i) -> std::optional<double> {
        const Expr a = e.argument(i);
        if (a->fn == Fn::Real)
            return a->real;
        return a->fn == Fn::Integer ? std::optional(double(a->integer)) : std::nullopt;
    };
    const auto isRead = [&](int i) {
        return e.argument(i)->fn == Fn::Load && e.argument(i)->index == read;
    };
    const auto meet = [](Range a, const Range &b) {
        return Range{std::max(a.least, b.least), std::min(a.most, b.most)};
    };
    switch (e->fn) {
    case Fn::Abs:
        return isRead(0) ? std::optional(Range::atLeast(0)) : std::nullopt;
    case Fn::Max:
    case Fn::Min: {
        const auto bound = number(1);
        const auto inner = bound ? fixedPointsOf(e.argument(0), read) : std::nullopt;
        if (!inner)
            return std::nullopt;
        return meet(*inner,
                    e->fn == Fn::Max ? Range::atLeast(*bound) : Range{-Range::infinity, *bound});
    }
    case Fn::Mul: // by a literal 1, unlike Selu's scale
        return number(1) == 1.0 ? fixedPointsOf(e.argument(0), read) : std::nullopt;
    case Fn::Add: // of a term that is 0 there: Celu
        for (const int i : {0, 1})
            if (const auto inner = fixedPointsOf(e.argument(i), read)) {
                const std::vector<Range> loads(std::size_t(read) + 1, *inner);
                if (rangeOf(e.argument(1 - i), loads) == Range::exactly(0))
                    return inner;
            }
        return std::nullopt;
    case Fn::Select: {
        const Expr condition = e.argument(0);
        if (condition->fn != Fn::Less)
            return std::nullopt;
        const bool below = condition.argument(0)->fn == Fn::Load;
        const Expr x = condition.argument(below ? 0 : 1), c = condition.argument(below ? 1 : 0);
        if (x->fn != Fn::Load || x->index != read || (c->fn != Fn::Real && c->fn != Fn::Integer))
            return std::nullopt;
        const double bound = c->fn == Fn::Real ? c->real : double(c->integer);
        // x < c ? f : x is x from c on; c < x ? x : f only beyond c.
        if (below && isRead(2))
            return Range::atLeast(bound);
        return !below && isRead(1)
                   ? std::optional(Range::atLeast(std::nextafter(bound, Range::infinity)))
                   : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

} // namespace graphloom
