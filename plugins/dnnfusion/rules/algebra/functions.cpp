// SPDX-License-Identifier: Apache-2.0
// Rules of functions that turn one operation into another: exp(a) * exp(b) = exp(a + b), and of
// functions with fixed points.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

namespace functions {
namespace {

const Pattern a = any("a"), b = any("b"), x = any("x");

unsigned typesOf(const UnaryOperator &op)
{
    return op.type == DataType::Bool ? unsigned(Bools)
           : isIntegral(op.type)     ? unsigned(Integers)
                                     : unsigned(Reals);
}

/// to(f(a), f(b)) = f(from(a, b)), with a and b in a range.
Rule merging(const UnaryOperator &op, Fn from, Fn to, const Range &domain)
{
    const bool ordered = from == Fn::Min || from == Fn::Max;
    const bool all = domain == Range();
    Instance scalars;
    for (const std::string &parameter : parametersOf(op))
        scalars.variables.push_back({parameter, {}});
    return {
        .name = "merge-" + op.name + "-under-" + operatorOf(to),
        // An order-preserving function distributes over maximum and minimum.
        .category = ordered ? Category::Distributive : Category::Associative,
        .formula = textOf(to, op.name + "(a)", op.name + "(b)") + " = " + op.name + "(" +
                   textOf(from, "a", "b") + ")",
        .where = all ? std::vector<Requirement>()
                     : std::vector{within("a", domain), within("b", domain)},
        .types = typesOf(op),
        .patterns = {apply(to, apply(op, a, "f"), apply(op, b, "g"))},
        .when =
            [=](const Match &m) {
                if (!sameAttributes(m, "f", "g"))
                    return false;
                const auto function = scalarOf(m, "f", 0, domain); // attributes may change it
                return function && function->turns(from, to);
            },
        .build =
            [=](const Match &m, Builder &builder) {
                return again(m, builder, "f", apply(builder, from, m.tensor("a"), m.tensor("b")));
            },
        .instances = {std::move(scalars)},
    };
}

void addMerging(std::vector<Rule> &rules, const UnaryOperator &op)
{
    const Scalar everywhere = scalarOf(op, {}), above = scalarOf(op, Range::atLeast(0));
    for (const Fn from : binaryFunctions())
        for (const Fn to : binaryFunctions())
            if (everywhere.turns(from, to))
                rules.push_back(merging(op, from, to, {}));
            else if (above.turns(from, to))
                rules.push_back(merging(op, from, to, Range::atLeast(0)));
}

/// f(x) = x where x is a fixed point of f.
void addFixedPoints(std::vector<Rule> &rules, const UnaryOperator &op)
{
    const auto fixed = op.inputs == 1 ? fixedPointsOf(op.function.body, 0) : std::nullopt;
    if (!fixed || fixed->least >= fixed->most)
        return;
    rules.push_back({
        .name = "drop-" + op.name + "-where-it-changes-nothing",
        .category = Category::Associative,
        .formula = op.name + "(x) = x",
        .where = {within("x", *fixed)},
        .types = Reals,
        .patterns = {apply(op, x, "f")},
        .when =
            [range = *fixed](const Match &m) {
                const auto function = scalarOf(m, "f", 0, range);
                const auto own =
                    function ? fixedPointsOf(function->function.body, 0) : std::nullopt;
                return own && range.within(*own);
            },
        .build = [](const Match &m, Builder &) { return m.tensor("x"); },
    });
}

bool rounds(Fn fn)
{
    return fn == Fn::Floor || fn == Fn::Ceil || fn == Fn::Round;
}

/// Adds rules for rounding of numbers that are already integral.
void addRounding(std::vector<Rule> &rules)
{
    for (const Fn inner : {Fn::Floor, Fn::Ceil, Fn::Round, Fn::Sign})
        for (const Fn outer : {Fn::Floor, Fn::Ceil, Fn::Round, Fn::Sign}) {
            if (!rounds(outer) && inner != outer)
                continue; // rounding may change the sign
            const std::string first = unaryOperatorOf(inner), second = unaryOperatorOf(outer);
            rules.push_back({
                .name = "drop-" + second + "-of-" + first,
                .category = Category::Associative,
                .formula = second + "(" + first + "(x)) = " + first + "(x)",
                .types = Reals,
                .patterns = {call(second, {call(first, {x}).as("inner")})},
                .build = [](const Match &m, Builder &) { return m.tensor("inner"); },
            });
        }
}

} // namespace
} // namespace functions

std::vector<Rule> functionRules()
{
    using namespace functions;
    std::vector<Rule> rules;
    for (const UnaryOperator &op : unaryOperators()) {
        addMerging(rules, op);
        addFixedPoints(rules, op);
    }
    addRounding(rules);
    return rules;
}

} // namespace graphloom::dnnfusion
