// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra/expr_equality.h"

#include "engine/ops/algebra/algebra.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

namespace graphloom {

namespace {

using Renaming = std::pair<int, int>; // two exchanged reads

bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming);

/// Is the node a product or quotient of reals, so that nested operands may be reordered?
bool isRealProduct(const Expr::Node &node)
{
    return (node.fn == Fn::Mul || node.fn == Fn::Div) && isFloatingPoint(node.type);
}

struct Factors {
    std::vector<const Expr::Node *> numerator, denominator;
};
void collectFactors(const Expr::Node &node, bool inverted, Factors &factors)
{
    if (isRealProduct(node)) {
        collectFactors(*node.arguments[0], inverted, factors);
        collectFactors(*node.arguments[1], inverted != (node.fn == Fn::Div), factors);
    } else if (node.fn != Fn::Real || node.real != 1) {
        (inverted ? factors.denominator : factors.numerator).push_back(&node);
    }
}

/// Collects the operands of nested applications of one associative function.
void collectOperands(Fn fn, const Expr::Node &node, std::vector<const Expr::Node *> &operands)
{
    if (node.fn != fn) {
        operands.push_back(&node);
        return;
    }
    for (const auto &argument : node.arguments)
        if (argument)
            collectOperands(fn, *argument, operands);
}

bool sameInAnyOrder(const std::vector<const Expr::Node *> &left,
                    std::vector<const Expr::Node *> right, const Renaming &renaming)
{
    if (left.size() != right.size())
        return false;
    for (const Expr::Node *operand : left) {
        const auto partner = std::ranges::find_if(
            right, [&](const Expr::Node *other) { return equalUnder(*operand, *other, renaming); });
        if (partner == right.end())
            return false;
        right.erase(partner);
    }
    return true;
}

/// Are the operands the same in any order?
bool sameOperands(Fn fn, const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
    std::vector<const Expr::Node *> left, right;
    collectOperands(fn, a, left);
    collectOperands(fn, b, right);
    return sameInAnyOrder(left, right, renaming);
}

/// Does a equal b after two reads of a have been exchanged?
bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
    if (a.type == b.type && isRealProduct(a) && isRealProduct(b)) {
        Factors left, right;
        collectFactors(a, false, left);
        collectFactors(b, false, right);
        return sameInAnyOrder(left.numerator, right.numerator, renaming) &&
               sameInAnyOrder(left.denominator, right.denominator, renaming);
    }
    if (a.fn != b.fn || a.type != b.type || a.real != b.real || a.integer != b.integer)
        return false;
    if (a.fn == Fn::Load || a.fn == Fn::Inside) {
        const int renamed = a.index == renaming.first    ? renaming.second
                            : a.index == renaming.second ? renaming.first
                                                         : a.index;
        return renamed == b.index;
    }
    if (a.index != b.index || bool(a.table) != bool(b.table) || (a.table && *a.table != *b.table))
        return false;
    if (isAssociative(a.fn))
        return sameOperands(a.fn, a, b, renaming);
    const auto pairwise = [&](bool crossed) {
        for (std::size_t i = 0; i < a.arguments.size(); ++i) {
            const std::size_t j = crossed && i < 2 ? 1 - i : i;
            if (bool(a.arguments[i]) != bool(b.arguments[j]) ||
                (a.arguments[i] && !equalUnder(*a.arguments[i], *b.arguments[j], renaming)))
                return false;
        }
        return true;
    };
    return pairwise(false) || (isCommutative(a.fn) && pairwise(true));
}

} // namespace

bool sameWithReadsExchanged(const Expr &a, const Expr &b, int first, int second)
{
    return equalUnder(*a, *b, {first, second});
}

bool sameExpression(const Expr &a, const Expr &b)
{
    return equalUnder(*a, *b, {-1, -1});
}

bool dependsOn(const Expr &expr, int read)
{
    std::set<int> reads;
    collectLoads(*expr, reads);
    return reads.contains(read);
}

} // namespace graphloom
