// SPDX-License-Identifier: Apache-2.0
// Rules of functions of one argument that reverse another one: negation, reciprocal, inverse
// functions, even and odd functions.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

namespace inversion {
namespace {

const Pattern a = any("a"), b = any("b"), x = any("x");

using Build = std::function<Replacement(const Match &, Builder &)>;

Build keep(const char *name)
{
    return [name](const Match &m, Builder &) { return m.tensor(name); };
}
Build combine(Fn fn, const char *first, const char *second)
{
    return [=](const Match &m, Builder &to) -> Replacement {
        return apply(to, fn, m.tensor(first), m.tensor(second));
    };
}

/// Adds rules of the operator `inverse`, which inverts elements of the group of `plus`, and
/// `minus`.
void addGroupInverse(std::vector<Rule> &rules, const std::string &inverse, Fn plus, Fn minus)
{
    const bool exactly = undoingOf(plus)->exactly;
    const auto inverted = [&](Pattern p) { return call(inverse, {std::move(p)}); };
    const std::string f = inverse;
    const std::string group = operatorOf(plus), op = operatorOf(minus);
    const auto add = [&](std::string name, std::string formula, Pattern pattern, Build build,
                         std::vector<Requirement> where = {}) {
        rules.push_back({
            .name = std::move(name),
            .category = Category::Associative,
            .formula = std::move(formula),
            .where = exactly ? std::vector<Requirement>() : std::move(where),
            .types = exactly ? unsigned(Reals | SignedIntegers) : unsigned(Reals),
            .patterns = {std::move(pattern)},
            .build = std::move(build),
        });
    };
    add("turn-" + group + "-of-" + f + "-into-" + op,
        textOf(plus, "a", f + "(b)") + " = " + textOf(minus, "a", "b"), apply(plus, a, inverted(b)),
        combine(minus, "a", "b"));
    add("turn-" + op + "-of-" + f + "-into-" + group,
        textOf(minus, "a", f + "(b)") + " = " + textOf(plus, "a", "b"),
        apply(minus, a, inverted(b)), combine(plus, "a", "b"), {nonZero("b")});
    add("swap-operands-of-" + op + "-under-" + f,
        f + "(" + textOf(minus, "a", "b") + ") = " + textOf(minus, "b", "a"),
        inverted(apply(minus, a, b)), combine(minus, "b", "a"), {nonZero("a"), nonZero("b")});
}

/// Moves negations through products: (-a) * (-b) = a * b, (-a) * b = -(a * b).
void addSigns(std::vector<Rule> &rules, Fn fn)
{
    const std::string minus = unaryOperatorOf(Fn::Negate), op = operatorOf(fn);
    const Pattern left = call(minus, {a}), right = call(minus, {b});
    rules.push_back({
        .name = "cancel-" + minus + "-in-" + op,
        .category = Category::Associative,
        .formula = textOf(fn, minus + "(a)", minus + "(b)") + " = " + textOf(fn, "a", "b"),
        .types = Reals,
        .patterns = {apply(fn, left, right)},
        .build = combine(fn, "a", "b"),
    });
    rules.push_back({
        .name = "cancel-" + minus + "-around-" + op,
        .category = Category::Associative,
        .formula = minus + "(" + textOf(fn, minus + "(a)", "b") + ") = " + textOf(fn, "a", "b"),
        .types = Reals,
        .patterns = {call(minus, {apply(fn, left, b)})},
        .build = combine(fn, "a", "b"),
    });
    rules.push_back({
        .name = "move-" + minus + "-behind-" + op,
        .category = Category::Commutative,
        .formula =
            textOf(fn, minus + "(a)", "b") + " = " + minus + "(" + textOf(fn, "a", "b") + ")",
        .types = Reals,
        .patterns = {apply(fn, left, b)},
        .build =
            [=](const Match &m, Builder &to) {
                return to.call(minus, {apply(to, fn, m.tensor("a"), m.tensor("b"))});
            },
    });
}

/// g(f(x)) = x
void addInversePairs(std::vector<Rule> &rules)
{
    for (const UnaryOperator &op : unaryOperators()) {
        const Fn fn = op.function.body->fn;
        const bool plain =
            op.inputs == 1 && arityOf(fn) == 1 && op.function.body.argument(0)->fn == Fn::Load;
        const auto inverse = plain ? inverseOf(fn) : std::nullopt;
        const std::string undo = inverse ? unaryOperatorOf(inverse->fn) : std::string();
        if (undo.empty())
            continue;
        const bool all = inverse->domain == Range();
        rules.push_back({
            .name = "cancel-" + undo + "-of-" + op.name,
            .category = Category::Associative,
            .formula = undo + "(" + op.name + "(x)) = x",
            .where = all ? std::vector<Requirement>() : std::vector{within("x", inverse->domain)},
            .types = op.type == DataType::Bool ? unsigned(Bools)
                     : isIntegral(op.type)     ? unsigned(Integers)
                     : fn == Fn::Negate        ? unsigned(Reals | SignedIntegers)
                                               : unsigned(Reals),
            .patterns = {call(undo, {call(op.name, {x})})},
            .build = keep("x"),
        });
    }
    const std::string reciprocal = reciprocalOperator();
    rules.push_back({
        .name = "cancel-" + reciprocal + "-of-" + reciprocal,
        .category = Category::Associative,
        .formula = reciprocal + "(" + reciprocal + "(x)) = x",
        .types = Reals,
        .patterns = {call(reciprocal, {call(reciprocal, {x})})},
        .build = keep("x"),
    });
}

/// f(-x) = f(x) = f(|x|) for even functions, -f(-x) = f(x) for odd ones.
void addParity(std::vector<Rule> &rules)
{
    const std::string minus = unaryOperatorOf(Fn::Negate), magnitude = unaryOperatorOf(Fn::Abs);
    for (const UnaryOperator &op : unaryOperators()) {
        if (op.type != DataType::Float || op.inputs != 1)
            continue;
        const Build without = [](const Match &m, Builder &to) -> Replacement {
            return again(m, to, "f", m.tensor("x"));
        };
        if (isEven(op.function.body, 0))
            for (const std::string &inner : {minus, magnitude}) {
                if (op.name == inner)
                    continue; // Abs of Abs: a fixed point
                rules.push_back({
                    .name = "drop-" + inner + "-under-" + op.name,
                    .category = Category::Commutative,
                    .formula = op.name + "(" + inner + "(x)) = " + op.name + "(x)",
                    .types = Reals,
                    .patterns = {call(op.name, {call(inner, {x})}).as("f")},
                    .build = without,
                });
            }
        if (isOdd(op.function.body, 0) && op.name != minus)
            rules.push_back({
                .name = "cancel-" + minus + "-around-" + op.name,
                .category = Category::Commutative,
                .formula = minus + "(" + op.name + "(" + minus + "(x))) = " + op.name + "(x)",
                .types = Reals,
                .patterns = {call(minus, {call(op.name, {call(minus, {x})}).as("f")})},
                .build = without,
            });
    }
}

} // namespace
} // namespace inversion

std::vector<Rule> inversionRules()
{
    using namespace inversion;
    std::vector<Rule> rules;
    addGroupInverse(rules, unaryOperatorOf(Fn::Negate), Fn::Add, Fn::Sub);
    addGroupInverse(rules, reciprocalOperator(), Fn::Mul, Fn::Div);
    addSigns(rules, Fn::Mul);
    addSigns(rules, Fn::Div);
    addInversePairs(rules);
    addParity(rules);
    return rules;
}

} // namespace graphloom::dnnfusion
