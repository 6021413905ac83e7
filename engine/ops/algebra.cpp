// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra.h"

#include <algorithm>

namespace graphloom {

namespace {

bool commutes(Fn fn)
{
    switch (fn) {
    case Fn::Add:
    case Fn::Mul:
    case Fn::Min:
    case Fn::Max:
    case Fn::And:
    case Fn::Or:
    case Fn::Xor:
    case Fn::BitAnd:
    case Fn::BitOr:
    case Fn::BitXor:
    case Fn::Equal:
        return true;
    default:
        return false;
    }
}

bool isAssociative(Fn fn)
{
    return commutes(fn) && fn != Fn::Equal;
}

/// The operands of nested applications of one associative function.
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

using Renaming = std::pair<int, int>; // two reads that change places

bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming);

/// Whether the operands, in any order, are the same.
bool sameOperands(Fn fn, const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
    std::vector<const Expr::Node *> left, right;
    collectOperands(fn, a, left);
    collectOperands(fn, b, right);
    for (const Expr::Node *operand : left) {
        const auto partner = std::ranges::find_if(
            right, [&](const Expr::Node *other) { return equalUnder(*operand, *other, renaming); });
        if (partner == right.end())
            return false;
        right.erase(partner);
    }
    return right.empty();
}

/// Whether a equals b once two reads of a have changed places.
bool equalUnder(const Expr::Node &a, const Expr::Node &b, const Renaming &renaming)
{
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
    return pairwise(false) || (commutes(a.fn) && pairwise(true));
}

/// The one stage of an elementwise call.
const Stage *elementwiseStage(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1 || description.outputs != 1)
        return nullptr;
    const Stage &stage = description.stages.front();
    return stage.combine == Combine::None && stage.finish.empty() ? &stage : nullptr;
}

} // namespace

bool isCommutative(const Description &description, int first, int second)
{
    const Stage *stage = elementwiseStage(description);
    if (!stage)
        return false;
    Renaming reads{-1, -1};
    for (int r = 0; r < int(stage->reads.size()); ++r) {
        const Operand &operand = stage->reads[std::size_t(r)].operand;
        if (operand == Operand{Operand::Kind::Input, first})
            reads.first = r;
        if (operand == Operand{Operand::Kind::Input, second})
            reads.second = r;
    }
    return reads.first >= 0 && reads.second >= 0 && equalUnder(*stage->body, *stage->body, reads);
}

} // namespace graphloom
