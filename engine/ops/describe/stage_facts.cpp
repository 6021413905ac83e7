// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/stage_facts.h"

#include "engine/ops/describe/expr_edit.h"

#include <algorithm>

namespace graphloom {

void collectAxes(const Stage &stage, const Index &index, std::set<int> &axes, int depth)
{
    for (const auto &term : index.terms)
        axes.insert(term.axis);
    if (index.lookup >= 0 && depth < 4)
        for (const Index &inner : stage.reads[std::size_t(index.lookup)].map)
            collectAxes(stage, inner, axes, depth + 1);
}

std::set<int> axesOf(const Stage &stage, const IndexMap &map)
{
    std::set<int> axes;
    for (const Index &index : map)
        collectAxes(stage, index, axes);
    return axes;
}

std::vector<int> factorsOf(const Index &index, const std::vector<Axis> &axes)
{
    auto terms = index.terms;
    std::erase_if(terms, [&](const auto &term) { return runsOnce(axes[std::size_t(term.axis)]); });
    // Symbolic coefficients keep the order in which the entry wrote them: outermost first.
    if (std::ranges::all_of(terms, [](const auto &t) { return t.coefficient.isConstant(); }))
        std::ranges::stable_sort(terms, [](const auto &a, const auto &b) {
            return std::abs(a.coefficient.value()) > std::abs(b.coefficient.value());
        });
    std::vector<int> factors;
    for (const auto &term : terms)
        factors.push_back(term.axis);
    return factors;
}

bool overlaps(const Index &index, const std::vector<Axis> &axes)
{
    const auto factors = factorsOf(index, axes);
    Dim inner = 1; // values covered by the factors further in
    for (auto at = factors.rbegin(); at != factors.rend(); ++at) {
        const auto term = std::ranges::find(index.terms, *at, &Index::Term::axis);
        Dim step = term->coefficient;
        if (step.isConstant() && step.value() < 0)
            step = step * Dim(-1);
        const Dim gap = step - inner;
        if (gap.isConstant() && gap.value() < 0)
            return true;
        inner = inner + step * (axes[std::size_t(*at)].extent - Dim(1));
    }
    return false;
}

void collectLoads(const Expr::Node &node, std::set<int> &reads)
{
    if (node.fn == Fn::Load)
        reads.insert(node.index);
    for (const auto &argument : node.arguments)
        if (argument)
            collectLoads(*argument, reads);
}

std::set<int> loadedReads(const Stage &stage)
{
    std::set<int> reads;
    if (!stage.body.empty())
        collectLoads(*stage.body, reads);
    if (!stage.finish.empty())
        collectLoads(*stage.finish, reads);
    std::vector<int> pending(reads.begin(), reads.end());
    const auto add = [&](const IndexMap &map) {
        for (const Index &index : map)
            if (index.lookup >= 0 && reads.insert(index.lookup).second)
                pending.push_back(index.lookup);
    };
    add(stage.write);
    while (!pending.empty()) {
        const int read = pending.back();
        pending.pop_back();
        add(stage.reads[std::size_t(read)].map);
    }
    return reads;
}

bool sameMap(const IndexMap &a, const IndexMap &b)
{
    return std::ranges::equal(a, b, [](const Index &x, const Index &y) {
        return x.offset == y.offset && x.divide == y.divide && x.modulo == y.modulo &&
               x.table == y.table && x.lookup == y.lookup &&
               std::ranges::equal(x.terms, y.terms, [](const auto &s, const auto &t) {
                   return s.axis == t.axis && s.coefficient == t.coefficient;
               });
    });
}

std::optional<Fn> functionOf(Combine combine)
{
    switch (combine) {
    case Combine::Sum:
        return Fn::Add;
    case Combine::Product:
        return Fn::Mul;
    case Combine::Max:
        return Fn::Max;
    case Combine::Min:
        return Fn::Min;
    default:
        return std::nullopt;
    }
}

bool scatters(const Stage &stage)
{
    return std::ranges::any_of(stage.write, [](const Index &index) { return index.lookup >= 0; });
}

bool sharesElements(const Stage &stage, int axis)
{
    const auto isOwn = [axis](const Index &index) {
        return index.isAffine() && index.terms.size() == 1 && index.terms[0].axis == axis &&
               index.terms[0].coefficient.isConstant() && index.terms[0].coefficient.value() != 0;
    };
    return scatters(stage) && !runsOnce(stage.axes[std::size_t(axis)]) &&
           std::ranges::none_of(stage.write, isOwn);
}

std::optional<Accumulation> accumulationOf(const Stage &stage)
{
    if (!scatters(stage) || stage.combine != Combine::None || !stage.finish.empty())
        return std::nullopt;
    const Operand target{Operand::Kind::Value, stage.value};
    const auto isPresent = [&](const Expr &part) {
        return part->fn == Fn::Load && stage.reads[std::size_t(part->index)].operand == target &&
               sameMap(stage.reads[std::size_t(part->index)].map, stage.write);
    };
    constexpr std::pair<Fn, Combine> combinations[] = {{Fn::Add, Combine::Sum},
                                                       {Fn::Mul, Combine::Product},
                                                       {Fn::Max, Combine::Max},
                                                       {Fn::Min, Combine::Min}};
    const auto known =
        std::ranges::find(combinations, stage.body->fn, &std::pair<Fn, Combine>::first);
    if (known == std::end(combinations))
        return std::nullopt;
    for (const int side : {0, 1}) {
        if (!isPresent(stage.body.argument(side)))
            continue;
        Expr update = stage.body.argument(1 - side);
        std::set<int> loads;
        collectLoads(*update, loads);
        if (std::ranges::none_of(
                loads, [&](int read) { return stage.reads[std::size_t(read)].operand == target; }))
            return Accumulation{known->second, std::move(update)};
    }
    return std::nullopt;
}

bool sumsProducts(const Stage &stage)
{
    if (stage.combine != Combine::Sum)
        return false;
    const Expr::Node *body = &*stage.body;
    // Looked-up positions and positions on the stride have a product; all others have 0.
    const auto isZero = [](const Expr::Node &node) {
        return node.fn == Fn::Real && node.real == 0;
    };
    while (body->fn == Fn::Cast || (body->fn == Fn::Select && isZero(*body->arguments[2])))
        body = body->arguments[body->fn == Fn::Cast ? 0 : 1].get();
    if (body->fn != Fn::Mul)
        return false;
    std::set<int> left, right;
    collectLoads(*body->arguments[0], left);
    collectLoads(*body->arguments[1], right);
    return !left.empty() && !right.empty() && left != right;
}

bool dependsOnPosition(const Expr &expr)
{
    const auto depends = [](const auto &self, const Expr::Node &node) -> bool {
        if (node.fn == Fn::Axis || node.fn == Fn::Inside)
            return true;
        return std::ranges::any_of(node.arguments, [&](const auto &argument) {
            return argument && self(self, *argument);
        });
    };
    return !expr.empty() && depends(depends, *expr);
}

namespace {

/// Collects the axes that a test compares with a loaded value.
void collectLookedUp(const Stage &stage, const Expr &test, std::set<int> &axes)
{
    if (test->fn == Fn::And) {
        collectLookedUp(stage, test.argument(0), axes);
        collectLookedUp(stage, test.argument(1), axes);
        return;
    }
    if (test->fn != Fn::Equal)
        return;
    for (const int side : {0, 1}) {
        const Expr axis = test.argument(side), value = test.argument(1 - side);
        if (axis->fn == Fn::Axis && contains(value, Fn::Load) &&
            stage.axes[std::size_t(axis->index)].kind == Axis::Kind::Space)
            axes.insert(axis->index);
    }
}

/// Counts the functions of an expression that `counts` accepts.
int countOf(const Expr &expr, bool (*counts)(Fn))
{
    if (expr.empty())
        return 0;
    const auto count = [counts](const auto &self, const Expr::Node &node) -> int {
        int total = counts(node.fn);
        for (const auto &argument : node.arguments)
            if (argument)
                total += self(self, *argument);
        return total;
    };
    return count(count, *expr);
}

} // namespace

StageWork workOf(const Stage &stage)
{
    if (stage.combine != Combine::Sum || stage.body->fn != Fn::Select ||
        !isLiteral(stage.body.argument(2), 0))
        return {stage.body, {}};
    StageWork work{stage.body.argument(1), {}};
    collectLookedUp(stage, stage.body.argument(0), work.skipped);
    return work.skipped.empty() ? StageWork{stage.body, {}} : work;
}

int operationsOf(const Expr &expr)
{
    return countOf(expr,
                   [](Fn fn) { return arityOf(fn) > 0 && fn != Fn::Cast && fn != Fn::Table; });
}

int functionsOf(const Expr &expr)
{
    return countOf(expr, isElementary);
}

} // namespace graphloom
