// SPDX-License-Identifier: Apache-2.0
// Rules of operations that distribute over others: a*c + b*c = (a + b)*c.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

#include <cmath>

namespace graphloom::dnnfusion {

namespace factoring {
namespace {

const Pattern a = any("a"), b = any("b"), c = any("c");

/// Returns fn(x, c), or fn(c, x), with c in a range, as a function of x.
Scalar partial(Fn fn, bool first, const Range &other)
{
    const DataType type = elementTypesOf(fn) & Reals   ? DataType::Float
                          : elementTypesOf(fn) & Bools ? DataType::Bool
                                                       : DataType::Int32;
    Elementwise function{Expr::binary(fn, Expr::load(0, type), Expr::load(1, type)), {0, 1}, {}};
    return {std::move(function), first ? 0 : 1,
            first ? std::vector<Range>{{}, other} : std::vector<Range>{other, {}}};
}

/// Returns the types for which a distributive law holds: integer overflow breaks orders.
unsigned typesOf(Fn outer, Fn inner)
{
    const bool ordered = inner == Fn::Min || inner == Fn::Max;
    const bool selects = outer == Fn::Min || outer == Fn::Max;
    const unsigned types = elementTypesOf(outer) & elementTypesOf(inner);
    return ordered && !selects ? types & Reals : types;
}

/// to(outer(a, c), outer(b, c)) = outer(from(a, b), c); c is the first operand unless `first`.
Rule factoring(Fn outer, bool first, Fn from, Fn to, std::vector<Requirement> where,
               const std::string &suffix)
{
    const std::string op = operatorOf(outer);
    const auto text = [&](const std::string &x) {
        return first ? textOf(outer, x, "c") : textOf(outer, "c", x);
    };
    const auto pattern = [&](const Pattern &x) {
        return first ? apply(outer, x, c) : apply(outer, c, x);
    };
    return {
        .name =
            "factor-" + op + (first ? "" : "-from-the-left") + "-out-of-" + operatorOf(to) + suffix,
        .category = Category::Distributive,
        .formula = textOf(to, "(" + text("a") + ")", "(" + text("b") + ")") + " = " +
                   text("(" + textOf(from, "a", "b") + ")"),
        .where = std::move(where),
        .types = typesOf(outer, from),
        .patterns = {apply(to, pattern(a), pattern(b))},
        .build =
            [=](const Match &m, Builder &builder) {
                const TensorId x = apply(builder, from, m.tensor("a"), m.tensor("b"));
                return first ? apply(builder, outer, x, m.tensor("c"))
                             : apply(builder, outer, m.tensor("c"), x);
            },
    };
}

void addFactoring(std::vector<Rule> &rules, Fn outer, bool first)
{
    const Range all, above = Range::atLeast(0), below{all.least, 0};
    for (const Fn from : binaryFunctions())
        for (const Fn to : binaryFunctions()) {
            if (!typesOf(outer, from))
                continue;
            if (partial(outer, first, all).turns(from, to))
                rules.push_back(factoring(outer, first, from, to, {}, ""));
            else if (partial(outer, first, above).turns(from, to))
                rules.push_back(
                    factoring(outer, first, from, to, {nonNegative("c")}, "-if-not-negative"));
            else if (partial(outer, first, below).turns(from, to))
                rules.push_back(
                    factoring(outer, first, from, to, {within("c", below)}, "-if-not-positive"));
        }
}

/// to(a, outer(a, b)) = outer(a, to(e, b)) with outer(a, e) = a. Table 4: A + A*B = A * (B + 1).
void addFactoringOfOne(std::vector<Rule> &rules, Fn outer, Fn to)
{
    const auto neutral = identityOf(outer, DataType::Float);
    const bool ordered = to == Fn::Min || to == Fn::Max;
    const Range above = Range::atLeast(0);
    if (!neutral || !std::isfinite(*neutral) || !isCommutative(outer) || !typesOf(outer, to))
        return;
    const bool everywhere = partial(outer, true, {}).turns(to, to);
    if (!everywhere && !(ordered && partial(outer, true, above).turns(to, to)))
        return;
    const std::string op = operatorOf(outer), one = std::to_string(int(*neutral));
    const auto add = [&](bool alone) { // the operand that stands alone comes first
        rules.push_back({
            .name =
                "factor-operand-of-" + op + "-out-of-" + operatorOf(to) + (alone ? "" : "-with-it"),
            .category = Category::Distributive,
            .formula = (alone ? textOf(to, "a", "(" + textOf(outer, "a", "b") + ")")
                              : textOf(to, "(" + textOf(outer, "a", "b") + ")", "a")) +
                       " = " +
                       textOf(outer, "a",
                              "(" + (alone ? textOf(to, one, "b") : textOf(to, "b", one)) + ")"),
            .where = everywhere ? std::vector<Requirement>() : std::vector{nonNegative("a")},
            .types = typesOf(outer, to),
            .patterns = {alone ? apply(to, a, apply(outer, a, b))
                               : apply(to, apply(outer, a, b), a)},
            .build =
                [=, e = *neutral](const Match &m, Builder &builder) {
                    const TensorId unit = builder.scalar(e, m.type("a"));
                    const TensorId rest = alone ? apply(builder, to, unit, m.tensor("b"))
                                                : apply(builder, to, m.tensor("b"), unit);
                    return apply(builder, outer, m.tensor("a"), rest);
                },
        });
    };
    add(true);
    if (!isCommutative(to))
        add(false);
}

/// min(a, max(a, b)) = a, for two idempotent operations that distribute over each other.
void addAbsorption(std::vector<Rule> &rules, Fn outer, Fn inner)
{
    const bool lattice = outer != inner && isIdempotent(outer) && isIdempotent(inner) &&
                         elementTypesOf(outer) == elementTypesOf(inner) &&
                         partial(outer, true, {}).turns(inner, inner) &&
                         partial(inner, true, {}).turns(outer, outer);
    if (!lattice)
        return;
    rules.push_back({
        .name = "absorb-" + operatorOf(inner) + "-under-" + operatorOf(outer),
        .category = Category::Distributive,
        .formula = textOf(outer, "a", "(" + textOf(inner, "a", "b") + ")") + " = a",
        .types = elementTypesOf(outer),
        .patterns = {apply(outer, a, apply(inner, a, b))},
        .build = [](const Match &m, Builder &) { return m.tensor("a"); },
    });
}

} // namespace
} // namespace factoring

std::vector<Rule> factoringRules()
{
    using namespace factoring;
    std::vector<Rule> rules;
    for (const Fn outer : binaryFunctions()) {
        addFactoring(rules, outer, true);
        if (!isCommutative(outer))
            addFactoring(rules, outer, false);
        for (const Fn inner : binaryFunctions()) {
            addFactoringOfOne(rules, outer, inner);
            addAbsorption(rules, outer, inner);
        }
    }
    return rules;
}

} // namespace graphloom::dnnfusion
