// SPDX-License-Identifier: Apache-2.0
// Rules of reductions with functions that turn one operation into another, with operands that are
// constant along the reduced axes, and with each other.
#include "plugins/dnnfusion/rules/algebra/reducing.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace reductions {
namespace {

const Pattern x = any("x");

std::vector<Requirement> requirement(const char *variable, const Range &domain)
{
    return domain == Range() ? std::vector<Requirement>() : std::vector{within(variable, domain)};
}

std::vector<Instance> with(std::vector<Instance> instances, const std::vector<std::string> &names,
                           bool alike)
{
    for (Instance &instance : instances)
        for (const std::string &name : names) {
            Shape shape = alike ? Shape{} : instance.variables[0].shape;
            instance.variables.push_back({name, std::move(shape)});
        }
    return instances;
}

/// The to-reduction of f(x) equals f of the from-reduction of x.
Rule behind(const UnaryOperator &op, Fn from, Fn to, const Range &domain)
{
    const std::string before = reductionOf(from), after = reductionOf(to);
    return {
        .name = "move-" + op.name + "-behind-" + after,
        .category = Category::Commutative,
        .formula = after + "(" + op.name + "(x)) = " + op.name + "(" + before + "(x))",
        .where = requirement("x", domain),
        .types = Reals,
        .patterns = reduction(after, apply(op, x, "f")),
        .when =
            [=](const Match &m) {
                const auto function = scalarOf(m, "f", 0, domain);
                return function && function->turns(from, to);
            },
        .build =
            [=](const Match &m, Builder &builder) {
                return again(m, builder, "f",
                             reduceAlike(m, builder, before, "reduce", m.tensor("x")));
            },
        .instances = with(reductionInstances({"reduce"}), parametersOf(op), true),
    };
}

void addUnary(std::vector<Rule> &rules)
{
    constexpr Fn gathering[] = {Fn::Add, Fn::Mul, Fn::Max, Fn::Min};
    const std::string mean = meanOperator();
    for (const UnaryOperator &op : unaryOperators()) {
        if (op.type != DataType::Float)
            continue;
        const Scalar everywhere = scalarOf(op, {}), above = scalarOf(op, Range::atLeast(0));
        for (const Fn from : gathering)
            for (const Fn to : gathering)
                if (everywhere.turns(from, to))
                    rules.push_back(behind(op, from, to, {}));
                else if (above.turns(from, to))
                    rules.push_back(behind(op, from, to, Range::atLeast(0)));
        if (isAffine(op.function.body, 0) && op.inputs == 1)
            rules.push_back({
                .name = "move-" + op.name + "-behind-" + mean,
                .category = Category::Commutative,
                .formula = mean + "(" + op.name + "(x)) = " + op.name + "(" + mean + "(x))",
                .types = Reals,
                .patterns = reduction(mean, apply(op, x, "f")),
                .build =
                    [](const Match &m, Builder &builder) {
                        return again(m, builder, "f", again(m, builder, "reduce", m.tensor("x")));
                    },
                .instances = reductionInstances({"reduce"}),
            });
    }
}

/// Hoists s, constant along the reduced axes, out of a reduction of outer(x, s) or outer(s, x).
Rule hoisting(Fn outer, bool first, const std::string &before, const std::string &after,
              const Range &other, const std::string &suffix)
{
    const std::string op = operatorOf(outer);
    const Pattern s = any("s");
    return {
        .name = "hoist-" + op + (first ? "" : "-from-the-left") + "-out-of-" + after + suffix,
        .category = Category::Distributive,
        .formula =
            after + "(" + (first ? textOf(outer, "x", "s") : textOf(outer, "s", "x")) + ") = " +
            (first ? textOf(outer, before + "(x)", "s") : textOf(outer, "s", before + "(x)")),
        .domain = "s is constant along the reduced axes",
        .where = requirement("s", other),
        .types = Reals,
        .patterns = reduction(after, (first ? apply(outer, x, s) : apply(outer, s, x)).as("whole")),
        .when = [](const Match &m) { return isConstantAlongAxes(m, "reduce", "whole", "x", "s"); },
        .build =
            [=](const Match &m, Builder &builder) {
                const TensorId part = reduceAlike(m, builder, before, "reduce", m.tensor("x"));
                return first ? apply(builder, outer, part, m.tensor("s"))
                             : apply(builder, outer, m.tensor("s"), part);
            },
        .instances = with(reductionInstances({"reduce"}), {"s"}, true),
        .twins = with(reductionInstances({"reduce"}), {"s"}, false),
    };
}

void addBinary(std::vector<Rule> &rules)
{
    constexpr Fn gathering[] = {Fn::Add, Fn::Max, Fn::Min};
    const Range all, above = Range::atLeast(0), below{all.least, 0};
    for (const Fn outer : binaryFunctions()) {
        if (!(elementTypesOf(outer) & Reals))
            continue;
        for (const bool first : {true, false}) {
            if (!first && isCommutative(outer))
                continue;
            const Elementwise call{
                Expr::binary(outer, Expr::load(0, DataType::Float), Expr::load(1, DataType::Float)),
                {0, 1},
                {}};
            const int read = first ? 0 : 1;
            const auto turns = [&](const Range &other, Fn from, Fn to) {
                std::vector<Range> loads(2);
                loads[std::size_t(1 - read)] = other;
                return imagesOf(call.body, read, from, loads).contains(to);
            };
            for (const Fn from : gathering)
                for (const Fn to : gathering) {
                    const std::string before = reductionOf(from), after = reductionOf(to);
                    if (turns(all, from, to))
                        rules.push_back(hoisting(outer, first, before, after, all, ""));
                    else if (turns(above, from, to))
                        rules.push_back(
                            hoisting(outer, first, before, after, above, "-if-not-negative"));
                    else if (turns(below, from, to))
                        rules.push_back(
                            hoisting(outer, first, before, after, below, "-if-not-positive"));
                }
            if (isAffine(call.body, read))
                rules.push_back(hoisting(outer, first, meanOperator(), meanOperator(), all, ""));
        }
    }
}

/// Merges a reduction of a reduction into one along all axes.
void addNested(std::vector<Rule> &rules, const std::string &op)
{
    const auto rank = [](const Match &m) { return m.shape("x").size(); };
    // Returns the outer axes as axes of x.
    const auto joined = [rank](const Match &m) -> std::optional<std::vector<std::int64_t>> {
        const auto inner = axesOf(m, "inner"), outer = axesOf(m, "outer");
        if (!inner || !outer || keepsDimensions(m, "inner") != keepsDimensions(m, "outer"))
            return std::nullopt;
        std::vector<std::int64_t> left;
        for (std::int64_t d = 0; d < std::int64_t(rank(m)); ++d)
            if (keepsDimensions(m, "inner") || !std::ranges::binary_search(*inner, d))
                left.push_back(d);
        std::vector<std::int64_t> axes = *inner;
        for (const std::int64_t axis : *outer) {
            if (std::size_t(axis) >= left.size())
                return std::nullopt;
            axes.push_back(left[std::size_t(axis)]);
        }
        std::ranges::sort(axes);
        axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
        return axes;
    };
    std::vector<Pattern> patterns;
    for (const bool asInput : {false, true}) {
        const auto wrap = [&](Pattern p, const char *axes, const char *as) {
            return (asInput ? call(op, {std::move(p), constant(axes)}) : call(op, {std::move(p)}))
                .as(as);
        };
        patterns.push_back(wrap(wrap(x, "axes", "inner"), "further", "outer"));
    }
    Instance attributes{{{"x", {2, 3, 4}}},
                        {{"inner", {{"axes", std::vector<std::int64_t>{2}}}},
                         {"outer", {{"axes", std::vector<std::int64_t>{0}}}}}};
    Instance inputs{
        {{"x", {2, 3, 4}},
         {"axes", {1}, TensorData::fromInt64s({1}), DataType::Int64},
         {"further", {1}, TensorData::fromInt64s({1}), DataType::Int64}},
        {{"inner", {{"keepdims", std::int64_t{0}}}}, {"outer", {{"keepdims", std::int64_t{0}}}}}};
    rules.push_back({
        .name = "merge-nested-" + op,
        .category = Category::Associative,
        .formula = op + "(" + op + "(x, p), q) = " + op + "(x, p and q)",
        .types = op == meanOperator() ? unsigned(Reals) : unsigned(Numbers),
        .patterns = std::move(patterns),
        .when = [=](const Match &m) { return m.hasShape("x") && joined(m); },
        .build =
            [=](const Match &m, Builder &builder) {
                return reduce(m, builder, op, m.tensor("x"), *joined(m),
                              keepsDimensions(m, "outer"));
            },
        .instances = {std::move(attributes), std::move(inputs)},
    });
}

/// plus(reduction of a, reduction of b) = reduction of plus(a, b).
void addJoining(std::vector<Rule> &rules, const std::string &op, Fn plus)
{
    std::vector<Pattern> patterns;
    for (const bool asInput : {false, true}) {
        const auto wrap = [&](const char *name, const char *as) {
            return (asInput ? call(op, {any(name), constant("axes")}) : call(op, {any(name)}))
                .as(as);
        };
        patterns.push_back(apply(plus, wrap("x", "reduce"), wrap("y", "other")));
    }
    std::vector<Instance> instances = with(reductionInstances({"reduce", "other"}), {"y"}, false);
    std::vector<Instance> twins = with(reductionInstances({"reduce", "other"}), {"y"}, false);
    for (Instance &twin : twins) { // another number of elements along the last axis
        Shape &shape = twin.variables.back().shape;
        shape.back() = shape.back() + Dim(1);
    }
    // The other instances reduce along the last axis.
    twins.resize(1);
    rules.push_back({
        .name = "join-" + op + "-under-" + operatorOf(plus),
        .category = Category::Distributive,
        .formula =
            textOf(plus, op + "(x)", op + "(y)") + " = " + op + "(" + textOf(plus, "x", "y") + ")",
        .domain = "x and y have the same shape",
        .types = Reals,
        .patterns = std::move(patterns),
        .when =
            [](const Match &m) {
                return sameAttributes(m, "reduce", "other") && m.hasShape("x") &&
                       m.value("x").shape == m.value("y").shape;
            },
        .build =
            [=](const Match &m, Builder &builder) {
                return again(m, builder, "reduce",
                             apply(builder, plus, m.tensor("x"), m.tensor("y")));
            },
        .instances = std::move(instances),
        .twins = std::move(twins),
    });
}

} // namespace
} // namespace reductions

std::vector<Rule> reductionRules()
{
    using namespace reductions;
    std::vector<Rule> rules;
    addUnary(rules);
    addBinary(rules);
    const std::string sum = reductionOf(Fn::Add), product = reductionOf(Fn::Mul);
    for (const std::string &op :
         {sum, product, reductionOf(Fn::Max), reductionOf(Fn::Min), meanOperator()})
        addNested(rules, op);
    for (const std::string &linear : {sum, meanOperator()})
        for (const Fn plus : {Fn::Add, Fn::Sub})
            addJoining(rules, linear, plus);
    for (const Fn plus : {Fn::Mul, Fn::Div})
        addJoining(rules, product, plus);
    for (const Fn fn : {Fn::Max, Fn::Min})
        addJoining(rules, reductionOf(fn), fn);
    return rules;
}

} // namespace graphloom::dnnfusion
