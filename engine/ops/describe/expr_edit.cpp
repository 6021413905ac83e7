// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/expr_edit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

class Rewriter {
public:
    explicit Rewriter(const std::function<Expr(const Expr &)> &of) : m_of(of) {}

    Expr run(const Expr &expr)
    {
        const Expr::Node *node = &*expr;
        if (const auto known = m_done.find(node); known != m_done.end())
            return known->second;
        Expr result = made(expr);
        m_done.emplace(node, result);
        return result;
    }

private:
    Expr made(const Expr &expr)
    {
        if (Expr other = m_of(expr); !other.empty())
            return other;
        const int arity = arityOf(expr->fn);
        std::array<Expr, 3> arguments;
        bool changed = false;
        for (int i = 0; i < arity; ++i) {
            const Expr argument = expr.argument(i);
            arguments[std::size_t(i)] = run(argument);
            changed = changed || &*arguments[std::size_t(i)] != &*argument;
        }
        if (!changed)
            return expr;
        if (expr->fn == Fn::Cast)
            return Expr::cast(arguments[0], expr->type);
        if (expr->fn == Fn::Table)
            return Expr::table(*expr->table, arguments[0]);
        if (expr->fn == Fn::Select)
            return Expr::select(arguments[0], arguments[1], arguments[2]);
        return arity == 1 ? Expr::unary(expr->fn, arguments[0])
                          : Expr::binary(expr->fn, arguments[0], arguments[1]);
    }

    const std::function<Expr(const Expr &)> &m_of;
    std::unordered_map<const Expr::Node *, Expr> m_done;
};

} // namespace

Expr withParts(const Expr &expr, const std::function<Expr(const Expr &part)> &of)
{
    return Rewriter(of).run(expr);
}

Expr rewritten(const Expr &expr, const std::function<Expr(const Expr::Node &leaf)> &of)
{
    return withParts(expr,
                     [&](const Expr &part) { return arityOf(part->fn) == 0 ? of(*part) : Expr(); });
}

void forEachPart(const Expr &expr, const std::function<void(const Expr::Node &)> &visit)
{
    std::unordered_set<const Expr::Node *> seen;
    const std::function<void(const Expr &)> go = [&](const Expr &part) {
        if (!seen.insert(&*part).second)
            return;
        for (int i = 0; i < arityOf(part->fn); ++i)
            go(part.argument(i));
        visit(*part);
    };
    if (!expr.empty())
        go(expr);
}

bool contains(const Expr &expr, Fn fn)
{
    bool found = false;
    forEachPart(expr, [&](const Expr::Node &node) { found = found || node.fn == fn; });
    return found;
}

std::vector<int> readsOf(const Expr &expr)
{
    std::vector<int> reads;
    forEachPart(expr, [&](const Expr::Node &node) {
        if ((node.fn == Fn::Load || node.fn == Fn::Inside) &&
            std::ranges::find(reads, node.index) == reads.end())
            reads.push_back(node.index);
    });
    return reads;
}

bool isLiteral(const Expr &value, double number)
{
    const Expr::Node *node = &*value;
    while (node->fn == Fn::Cast && isFloatingPoint(node->type))
        node = node->arguments[0].get();
    return node->fn == Fn::Real && node->real == number;
}

Expr sumOf(const Expr &a, const Expr &b)
{
    return isLiteral(a, 0) ? b : isLiteral(b, 0) ? a : a + b;
}

Expr productOf(const Expr &a, const Expr &b)
{
    if (isLiteral(a, 0) || isLiteral(b, 0))
        return Expr::real(0, a.type());
    if (isLiteral(a, 1))
        return b;
    if (isLiteral(b, 1))
        return a;
    const auto isChoice = [](const Expr &value) {
        return value->fn == Fn::Select &&
               (isLiteral(value.argument(1), 0) || isLiteral(value.argument(2), 0));
    };
    if (isChoice(a))
        return Expr::select(a.argument(0), productOf(a.argument(1), b),
                            productOf(a.argument(2), b));
    if (isChoice(b))
        return Expr::select(b.argument(0), productOf(a, b.argument(1)),
                            productOf(a, b.argument(2)));
    return a * b;
}

Expr quotientOf(const Expr &a, const Expr &b)
{
    return isLiteral(a, 0) || isLiteral(b, 1) ? a : a / b;
}

Expr bothOf(const Expr &a, const Expr &b)
{
    return a.empty() ? b : b.empty() ? a : Expr::binary(Fn::And, a, b);
}

Expr inType(const Expr &value, DataType type)
{
    if (value.type() == type)
        return value;
    return value->fn == Fn::Real ? Expr::real(value->real, type) : Expr::cast(value, type);
}

} // namespace graphloom
