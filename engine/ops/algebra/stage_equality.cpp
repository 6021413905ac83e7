// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra/stage_equality.h"

#include "engine/ops/algebra/expr_equality.h"
#include "engine/ops/describe/expr_edit.h"
#include "engine/ops/describe/index_edit.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

template <class Visit> void forEachIndex(Stage &stage, Visit visit)
{
    for (Index &index : stage.write)
        visit(index);
    for (Read &read : stage.reads)
        for (Index &index : read.map)
            visit(index);
}

/// Renumbers axes: `to` holds the new number of each, or -1 for a removed axis (always 0).
void renumber(Stage &stage, const std::vector<int> &to)
{
    std::vector<Index> images;
    for (const int axis : to)
        images.push_back(axis < 0 ? Index::constant(0) : Index::axis(axis));
    forEachIndex(stage, [&](Index &index) {
        std::erase_if(index.terms,
                      [&](const Index::Term &term) { return to[std::size_t(term.axis)] < 0; });
        for (Index::Term &term : index.terms)
            term.axis = to[std::size_t(term.axis)];
    });
    for (Expr *expr : {&stage.body, &stage.finish})
        if (!expr->empty() && contains(*expr, Fn::Axis))
            *expr = composed(*expr, images);
}

void dropSingleAxes(Stage &stage)
{
    std::vector<int> to;
    std::vector<Axis> axes;
    for (const Axis &axis : stage.axes) {
        to.push_back(runsOnce(axis) ? -1 : int(axes.size()));
        if (!runsOnce(axis))
            axes.push_back(axis);
    }
    renumber(stage, to);
    stage.axes = std::move(axes);
}

/// Merges and sorts the terms of sums, so that each axis occurs at most once.
void sortTerms(Stage &stage)
{
    forEachIndex(stage, [](Index &index) {
        std::ranges::stable_sort(index.terms, {}, &Index::Term::axis);
        std::vector<Index::Term> terms;
        for (const Index::Term &term : index.terms)
            if (!terms.empty() && terms.back().axis == term.axis)
                terms.back().coefficient += term.coefficient;
            else
                terms.push_back(term);
        std::erase_if(terms, [](const auto &term) { return term.coefficient == Dim(0); });
        index.terms = std::move(terms);
    });
}

bool usesAxis(const Expr &expr, int axis)
{
    bool uses = false;
    if (!expr.empty())
        forEachPart(expr, [&](const Expr::Node &node) {
            uses = uses || (node.fn == Fn::Axis && node.index == axis);
        });
    return uses;
}

/// Do all maps use an axis and the next one like a single axis?
bool areOne(Stage &stage, int outer)
{
    const int inner = outer + 1;
    const Axis &a = stage.axes[std::size_t(outer)], &b = stage.axes[std::size_t(inner)];
    if (a.kind != b.kind)
        return false;
    for (const Expr *expr : {&stage.body, &stage.finish})
        if (usesAxis(*expr, outer) || usesAxis(*expr, inner))
            return false;
    bool one = true;
    forEachIndex(stage, [&](const Index &index) {
        Dim outside = 0, inside = 0;
        for (const Index::Term &term : index.terms) {
            if (term.axis == outer)
                outside += term.coefficient;
            if (term.axis == inner)
                inside += term.coefficient;
        }
        one = one && outside == inside * b.extent;
    });
    return one;
}

void joinAxes(Stage &stage)
{
    for (int a = int(stage.axes.size()) - 2; a >= 0; --a) {
        if (!areOne(stage, a))
            continue;
        std::vector<int> to;
        for (int i = 0; i < int(stage.axes.size()); ++i)
            to.push_back(i <= a ? i : i - 1);
        forEachIndex(stage, [&](Index &index) {
            std::erase_if(index.terms, [&](const Index::Term &term) { return term.axis == a; });
        });
        stage.axes[std::size_t(a)].extent =
            stage.axes[std::size_t(a)].extent * stage.axes[std::size_t(a) + 1].extent;
        stage.axes.erase(stage.axes.begin() + a + 1);
        renumber(stage, to);
    }
}

/// Clears the behaviour outside the tensor for reads that cannot leave it.
void forgetOutside(Stage &stage, const Description &description, std::span<const Shape> inputs)
{
    for (Read &read : stage.reads) {
        const auto number = std::size_t(read.operand.index);
        const Shape *shape = nullptr;
        if (read.operand.kind == Operand::Kind::Input)
            shape = number < inputs.size() ? &inputs[number] : nullptr;
        else if (description.values[number].shape)
            shape = &*description.values[number].shape;
        bool inside = shape && shape->size() == read.map.size();
        for (std::size_t d = 0; inside && d < read.map.size(); ++d)
            inside = staysWithin(read.map[d], stage.axes, (*shape)[d]);
        if (inside)
            read.outside = Read::Outside::Never;
        if (read.outside != Read::Outside::Value)
            read.outsideValue = 0;
    }
}

/// A sum over a single point is that point.
void dropSingleSum(Stage &stage)
{
    const bool isNeutral =
        (stage.combine == Combine::Sum && stage.initial == 0) ||
        (stage.combine == Combine::Product && stage.initial == 1) ||
        (stage.combine == Combine::Max && std::isinf(stage.initial) && stage.initial < 0) ||
        (stage.combine == Combine::Min && std::isinf(stage.initial) && stage.initial > 0);
    if (!isNeutral || std::ranges::any_of(stage.axes, isReduction))
        return;
    if (!stage.finish.empty())
        stage.body = rewritten(stage.finish, [&](const Expr::Node &leaf) {
            return leaf.fn == Fn::Accumulator ? stage.body : Expr();
        });
    stage.finish = {};
    stage.combine = Combine::None;
    stage.initial = 0;
}

Stage canonical(Stage stage, const Description &description, std::span<const Shape> inputs)
{
    forgetOutside(stage, description, inputs);
    dropSingleAxes(stage);
    dropSingleSum(stage);
    sortTerms(stage);
    joinAxes(stage);
    return stage;
}

bool sameIndex(const Index &a, const Index &b)
{
    const bool tables = bool(a.table) == bool(b.table) && (!a.table || *a.table == *b.table);
    return tables && a.offset == b.offset && a.divide == b.divide && a.modulo == b.modulo &&
           a.lookup == b.lookup &&
           std::ranges::equal(a.terms, b.terms, [](const auto &x, const auto &y) {
               return x.axis == y.axis && x.coefficient == y.coefficient;
           });
}

bool sameRead(const Read &a, const Read &b)
{
    return a.operand == b.operand && a.outside == b.outside &&
           (a.outsideValue == b.outsideValue ||
            (a.outsideValue != a.outsideValue && b.outsideValue != b.outsideValue)) &&
           std::ranges::equal(a.map, b.map, sameIndex);
}

bool sameExpr(const Expr &a, const Expr &b)
{
    return a.empty() || b.empty() ? a.empty() == b.empty() : sameExpression(a, b);
}

bool sameStage(const Stage &a, const Stage &b)
{
    return a.value == b.value && a.combine == b.combine && a.initial == b.initial &&
           std::ranges::equal(a.axes, b.axes,
                              [](const Axis &x, const Axis &y) {
                                  return x.extent == y.extent && x.kind == y.kind;
                              }) &&
           std::ranges::equal(a.write, b.write, sameIndex) &&
           std::ranges::equal(a.reads, b.reads, sameRead) && sameExpr(a.body, b.body) &&
           sameExpr(a.finish, b.finish);
}

} // namespace

bool sameComputation(const Description &a, const Description &b, std::span<const Shape> inputs)
{
    const auto sameValue = [](const Value &x, const Value &y) {
        return x.type == y.type && x.shape == y.shape && x.otherType == y.otherType;
    };
    if (a.isOpaque() || b.isOpaque() || a.outputs != b.outputs ||
        !std::ranges::equal(a.values, b.values, sameValue) || a.stages.size() != b.stages.size())
        return false;
    for (std::size_t s = 0; s < a.stages.size(); ++s)
        if (!sameStage(canonical(a.stages[s], a, inputs), canonical(b.stages[s], b, inputs)))
            return false;
    return true;
}

} // namespace graphloom
