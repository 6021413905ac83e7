// SPDX-License-Identifier: Apache-2.0
// Rules with patterns of their own: rows of Table 4, roots, powers, shifts and approximations. The
// other rows are instances of the generated rules:
//     A*C + A*B = (A + B)*C              factor-Mul-out-of-Add
//     A + A*B = A*(B + 1)                factor-operand-of-Mul-out-of-Add
//     A * B = B * A                      swap-operands-of-Mul
//     ReduceProd(Exp(A))                 move-Exp-behind-ReduceProd
#include "plugins/dnnfusion/rules/algebra/reducing.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

#include <cmath>

namespace graphloom::dnnfusion {

namespace table {
namespace {

const Pattern a = any("a"), b = any("b"), c = any("c"), x = any("x");

using Build = std::function<Replacement(const Match &, Builder &)>;

Pattern times(Pattern p, Pattern q)
{
    return apply(Fn::Mul, std::move(p), std::move(q));
}
TensorId times(Builder &to, TensorId p, TensorId q)
{
    return apply(to, Fn::Mul, p, q);
}

Rule rule(std::string name, Category category, std::string formula, Pattern pattern, Build build,
          std::vector<Requirement> where = {})
{
    return {.name = std::move(name),
            .category = category,
            .formula = std::move(formula),
            .where = std::move(where),
            .types = Reals,
            .patterns = {std::move(pattern)},
            .build = std::move(build)};
}

/// Adds rows 1 to 3 of Table 4 and the rules that they rely on.
void addProducts(std::vector<Rule> &rules)
{
    const std::string recip = reciprocalOperator(), root = unaryOperatorOf(Fn::Sqrt),
                      magnitude = unaryOperatorOf(Fn::Abs);
    // The paper prints Recip(A) * Recip(A * B) = Square(Recip(A)) * B, which is wrong: the left
    // side belongs to merge-Reciprocal-under-Mul, the right side to this rule.
    rules.push_back(rule("square-shared-" + recip, Category::Associative,
                         recip + "(a) * (" + recip + "(a) * b) = " + recip + "(a)^2 * b",
                         times(call(recip, {a}).as("r"), times(call(recip, {a}), b)),
                         [](const Match &m, Builder &to) {
                             return times(to, times(to, m.tensor("r"), m.tensor("r")),
                                          m.tensor("b"));
                         }));
    rules.push_back(rule("multiply-shared-" + root + "-out", Category::Associative,
                         "(a * " + root + "(b)) * (" + root + "(b) * c) = a * b * c",
                         times(times(a, call(root, {b})), times(call(root, {b}), c)),
                         [](const Match &m, Builder &to) {
                             return times(to, times(to, m.tensor("a"), m.tensor("b")),
                                          m.tensor("c"));
                         },
                         {nonNegative("b")}));
    rules.push_back(
        rule("merge-" + magnitude + "-across-Mul", Category::Associative,
             magnitude + "(a) * b * " + magnitude + "(c) = " + magnitude + "(a * c) * b",
             times(times(call(magnitude, {a}), b), call(magnitude, {c})),
             [=](const Match &m, Builder &to) {
                 const TensorId product = times(to, m.tensor("a"), m.tensor("c"));
                 return times(to, to.call(magnitude, {product}), m.tensor("b"));
             }));
    rules.push_back(
        rule("square-" + root, Category::Associative, root + "(x) * " + root + "(x) = x",
             times(call(root, {x}), call(root, {x})),
             [](const Match &m, Builder &) { return m.tensor("x"); }, {nonNegative("x")}));
    rules.push_back(
        rule("turn-" + root + "-of-square-into-" + magnitude, Category::Associative,
             root + "(x * x) = " + magnitude + "(x)", call(root, {times(x, x)}),
             [=](const Match &m, Builder &to) { return to.call(magnitude, {m.tensor("x")}); }));
    rules.push_back(
        rule("square-" + magnitude, Category::Associative,
             magnitude + "(x) * " + magnitude + "(x) = x * x",
             times(call(magnitude, {x}), call(magnitude, {x})),
             [](const Match &m, Builder &to) { return times(to, m.tensor("x"), m.tensor("x")); }));
    rules.push_back(
        rule("divide-by-" + root + "-of-itself", Category::Associative,
             "x / " + root + "(x) = " + root + "(x)", apply(Fn::Div, x, call(root, {x}).as("root")),
             [](const Match &m, Builder &) { return m.tensor("root"); }, {positive("x")}));
}

/// Row 4: (A * s) * (s * C) with s = ReduceSum(B), which is smaller.
void addReduction(std::vector<Rule> &rules)
{
    const std::string sum = reductionOf(Fn::Add);
    Rule squares =
        rule("square-shared-" + sum, Category::Associative,
             "(a * " + sum + "(b)) * (" + sum + "(b) * c) = a * " + sum + "(b)^2 * c", a,
             [](const Match &m, Builder &to) {
                 const TensorId s = m.tensor("reduce");
                 return times(to, times(to, m.tensor("a"), times(to, s, s)), m.tensor("c"));
             });
    squares.when = [](const Match &m) { return sameAttributes(m, "reduce", "other"); };
    squares.patterns.clear();
    for (const bool asInput : {false, true}) {
        const auto reduced = [&](const char *as) {
            return (asInput ? call(sum, {b, constant("axes")}) : call(sum, {b})).as(as);
        };
        squares.patterns.push_back(times(times(a, reduced("reduce")), times(reduced("other"), c)));
    }
    for (Instance instance : reductionInstances({"reduce", "other"})) {
        if (instance.attributes[0].second[0].value != AttributeValue(std::int64_t{1}))
            continue; // without the reduced dimension, the shapes do not match
        instance.variables[0].name = "b";
        for (const char *name : {"a", "c"})
            instance.variables.push_back({name, instance.variables[0].shape});
        squares.instances.push_back(std::move(instance));
    }
    rules.push_back(std::move(squares));
}

/// Row 7: Square(A + B) - (A + B) * C, where the square is a power.
void addSquares(std::vector<Rule> &rules)
{
    const auto square = [](Pattern p) { return apply(Fn::Pow, std::move(p), number(2)); };
    for (const Fn plus : {Fn::Add, Fn::Sub}) {
        rules.push_back(
            rule("factor-square-out-of-" + operatorOf(plus), Category::Distributive,
                 textOf(plus, "x^2", "x * c") + " = x * (" + textOf(plus, "x", "c") + ")",
                 apply(plus, square(x), times(x, c)), [plus](const Match &m, Builder &to) {
                     return times(to, m.tensor("x"), apply(to, plus, m.tensor("x"), m.tensor("c")));
                 }));
    }
    rules.push_back(rule(
        "factor-difference-of-squares", Category::Distributive, "x^2 - y^2 = (x + y) * (x - y)",
        apply(Fn::Sub, square(x), square(any("y"))), [](const Match &m, Builder &to) {
            const TensorId p = m.tensor("x"), q = m.tensor("y");
            return times(to, apply(to, Fn::Add, p, q), apply(to, Fn::Sub, p, q));
        }));
    const std::string root = unaryOperatorOf(Fn::Sqrt), magnitude = unaryOperatorOf(Fn::Abs);
    rules.push_back(
        rule("turn-" + root + "-of-power-into-" + magnitude, Category::Associative,
             root + "(x^2) = " + magnitude + "(x)", call(root, {square(x)}),
             [=](const Match &m, Builder &to) { return to.call(magnitude, {m.tensor("x")}); }));
    rules.push_back(rule(
        "drop-power-of-" + root, Category::Associative, root + "(x)^2 = x", square(call(root, {x})),
        [](const Match &m, Builder &) { return m.tensor("x"); }, {nonNegative("x")}));
    rules.push_back(rule("drop-" + magnitude + "-under-square", Category::Commutative,
                         magnitude + "(x)^2 = x^2", square(call(magnitude, {x})).as("power"),
                         [](const Match &m, Builder &to) {
                             return to.again(m["power"], {m.tensor("x"), m["power"].inputs[1]})[0];
                         }));
    const std::string minus = unaryOperatorOf(Fn::Negate);
    rules.push_back(rule("drop-" + minus + "-under-square", Category::Commutative, "(-x)^2 = x^2",
                         square(call(minus, {x})).as("power"), [](const Match &m, Builder &to) {
                             return to.again(m["power"], {m.tensor("x"), m["power"].inputs[1]})[0];
                         }));
}

void addPowers(std::vector<Rule> &rules)
{
    const std::string pow = operatorOf(Fn::Pow);
    const auto power = [](Pattern base, Pattern exponent) {
        return apply(Fn::Pow, std::move(base), std::move(exponent));
    };
    for (const auto &[product, sum] : {std::pair(Fn::Mul, Fn::Add), std::pair(Fn::Div, Fn::Sub)}) {
        rules.push_back(rule("merge-exponents-under-" + operatorOf(product), Category::Distributive,
                             textOf(product, "x^a", "x^b") + " = x^(" + textOf(sum, "a", "b") + ")",
                             apply(product, power(x, a), power(x, b)),
                             [sum = sum](const Match &m, Builder &to) {
                                 return apply(to, Fn::Pow, m.tensor("x"),
                                              apply(to, sum, m.tensor("a"), m.tensor("b")));
                             },
                             {positive("x")}));
        rules.push_back(
            rule("merge-bases-under-" + operatorOf(product), Category::Distributive,
                 textOf(product, "a^c", "b^c") + " = (" + textOf(product, "a", "b") + ")^c",
                 apply(product, power(a, c), power(b, c)),
                 [product = product](const Match &m, Builder &to) {
                     return apply(to, Fn::Pow, apply(to, product, m.tensor("a"), m.tensor("b")),
                                  m.tensor("c"));
                 },
                 {positive("a"), positive("b")}));
    }
    rules.push_back(rule("multiply-nested-exponents", Category::Associative, "(x^a)^b = x^(a * b)",
                         power(power(x, a), b),
                         [](const Match &m, Builder &to) {
                             return apply(to, Fn::Pow, m.tensor("x"),
                                          times(to, m.tensor("a"), m.tensor("b")));
                         },
                         {positive("x")}));
    const std::string log = unaryOperatorOf(Fn::Log), exp = unaryOperatorOf(Fn::Exp);
    rules.push_back(rule("take-exponent-out-of-" + log, Category::Commutative,
                         log + "(x^a) = a * " + log + "(x)", call(log, {power(x, a)}),
                         [=](const Match &m, Builder &to) {
                             return times(to, m.tensor("a"), to.call(log, {m.tensor("x")}));
                         },
                         {positive("x")}));
    rules.push_back(rule("take-exponent-into-" + exp, Category::Associative,
                         exp + "(x)^a = " + exp + "(a * x)", power(call(exp, {x}), a),
                         [=](const Match &m, Builder &to) {
                             return to.call(exp, {times(to, m.tensor("a"), m.tensor("x"))});
                         }));
}

/// Row 9: a left shift multiplies by a power of two, even if bits are shifted out.
void addShifts(std::vector<Rule> &rules)
{
    const std::string shift = "BitShift", sum = reductionOf(Fn::Add);
    const auto shifted = [&](Pattern p, Pattern by, const char *direction) {
        return call(shift, {std::move(p), std::move(by)}).with("direction", std::string(direction));
    };
    const auto add = [&](std::string name, Category category, std::string formula, Pattern pattern,
                         Build build) {
        Rule made = rule(std::move(name), category, std::move(formula), std::move(pattern),
                         std::move(build));
        made.types = UnsignedIntegers;
        return made;
    };
    Rule hoisted = add("move-" + shift + "-behind-" + sum, Category::Commutative,
                       sum + "(x << s) = " + sum + "(x) << s", a, [](const Match &m, Builder &to) {
                           const TensorId part = again(m, to, "reduce", m.tensor("x"));
                           return to.again(m["whole"], {part, m.tensor("s")})[0];
                       });
    hoisted.domain = "s is constant along the reduced axes";
    hoisted.patterns = reduction(sum, shifted(x, any("s"), "LEFT").as("whole"));
    hoisted.when = [](const Match &m) {
        return isConstantAlongAxes(m, "reduce", "whole", "x", "s");
    };
    for (Instance instance : reductionInstances({"reduce"})) {
        Instance twin = instance;
        instance.variables.push_back({"s", {}});
        twin.variables.push_back({"s", twin.variables[0].shape});
        hoisted.instances.push_back(std::move(instance));
        hoisted.twins.push_back(std::move(twin));
    }
    rules.push_back(std::move(hoisted));
    for (const char *direction : {"LEFT", "RIGHT"}) {
        const std::string arrow = direction == std::string("LEFT") ? "<<" : ">>";
        for (const Fn fn : {Fn::BitAnd, Fn::BitOr, Fn::BitXor, Fn::Add, Fn::Sub}) {
            const bool arithmetic = fn == Fn::Add || fn == Fn::Sub;
            if (arithmetic && arrow == ">>")
                continue; // the bits that are shifted out differ
            rules.push_back(add(
                "factor-" + shift + "-" + direction + "-out-of-" + operatorOf(fn),
                Category::Distributive,
                textOf(fn, "(a " + arrow + " s)", "(b " + arrow + " s)") + " = (" +
                    textOf(fn, "a", "b") + ") " + arrow + " s",
                apply(fn, shifted(a, any("s"), direction).as("f"), shifted(b, any("s"), direction)),
                [fn](const Match &m, Builder &to) {
                    return to.again(
                        m["f"], {apply(to, fn, m.tensor("a"), m.tensor("b")), m.tensor("s")})[0];
                }));
        }
    }
}

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) approximates x/2 (1 + erf(x / sqrt(2))).
void addApproximations(std::vector<Rule> &rules)
{
    const std::string tanh = unaryOperatorOf(Fn::Tanh), erf = unaryOperatorOf(Fn::Erf);
    const Pattern cube = apply(Fn::Pow, x, number(3));
    const Pattern inner =
        apply(Fn::Mul, apply(Fn::Add, x, apply(Fn::Mul, cube, constant("c"))), constant("k"));
    Rule gelu = rule("replace-" + tanh + "-by-" + erf + "-in-Gelu", Category::Associative,
                     tanh + "(sqrt(2/pi) * (x + 0.044715 * x^3)) ~ " + erf + "(x / sqrt(2))",
                     call(tanh, {inner}), [=](const Match &m, Builder &to) {
                         const TensorId scale = to.scalar(std::sqrt(0.5), m.type("x"));
                         return to.call(erf, {times(to, m.tensor("x"), scale)});
                     });
    const auto near = [](const Match &m, const char *name, double value) {
        const auto given = numberOf(m.value(name));
        return given && std::fabs(*given - value) < 1e-3 * value;
    };
    gelu.when = [=](const Match &m) {
        return near(m, "c", 0.044715) && near(m, "k", std::sqrt(2 / M_PI));
    };
    gelu.exact = false;
    const auto instance = [](double cubic) {
        return Instance{
            {{"c", {}, scalarData(cubic, DataType::Float), DataType::Float},
             {"k", {}, scalarData(std::sqrt(2 / M_PI), DataType::Float), DataType::Float}}};
    };
    gelu.instances = {instance(0.044715)};
    gelu.twins = {instance(0.05)};
    rules.push_back(std::move(gelu));
}

} // namespace
} // namespace table

std::vector<Rule> tableRules()
{
    using namespace table;
    std::vector<Rule> rules;
    addProducts(rules);
    addReduction(rules);
    addSquares(rules);
    addPowers(rules);
    addShifts(rules);
    addApproximations(rules);
    return rules;
}

} // namespace graphloom::dnnfusion
