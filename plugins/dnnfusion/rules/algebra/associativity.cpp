// SPDX-License-Identifier: Apache-2.0
// Rules from the structure of one operation: associativity, neutral and absorbing elements,
// idempotence, and the operation that undoes it.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

namespace associativity {
namespace {

const Pattern a = any("a"), b = any("b"), c = any("c"), d = any("d"), x = any("x");

/// Rules of an associative and commutative operation.
void addRegrouping(std::vector<Rule> &rules, Fn fn)
{
    const std::string op = operatorOf(fn);
    const unsigned types = elementTypesOf(fn);
    rules.push_back({
        .name = "regroup-" + op,
        .category = Category::Associative,
        .formula = textOf(fn, "(" + textOf(fn, "a", "b") + ")", "c") + " = " +
                   textOf(fn, "a", "(" + textOf(fn, "b", "c") + ")"),
        .types = types,
        .patterns = {apply(fn, apply(fn, a, b), c)},
        .build =
            [fn](const Match &m, Builder &to) {
                return apply(to, fn, m.tensor("a"), apply(to, fn, m.tensor("b"), m.tensor("c")));
            },
    });
    // Table 4: (A * s) * (s * C) = A * s^2 * C, s being smaller.
    rules.push_back({
        .name = "gather-shared-operand-of-" + op,
        .category = Category::Associative,
        .formula = textOf(fn, "(" + textOf(fn, "a", "s") + ")", "(" + textOf(fn, "s", "c") + ")") +
                   " = " +
                   textOf(fn, "(" + textOf(fn, "a", "c") + ")", "(" + textOf(fn, "s", "s") + ")"),
        .types = types,
        .patterns = {apply(fn, apply(fn, a, any("s")), apply(fn, any("s"), c))},
        .build =
            [fn](const Match &m, Builder &to) {
                const TensorId s = m.tensor("s");
                const TensorId others = apply(to, fn, m.tensor("a"), m.tensor("c"));
                return apply(to, fn, others, isIdempotent(fn) ? s : apply(to, fn, s, s));
            },
    });
}

void addIdempotence(std::vector<Rule> &rules, Fn fn)
{
    const std::string op = operatorOf(fn);
    rules.push_back({
        .name = "drop-" + op + "-with-itself",
        .category = Category::Associative,
        .formula = textOf(fn, "x", "x") + " = x",
        .types = elementTypesOf(fn),
        .patterns = {apply(fn, x, x)},
        .build = [](const Match &m, Builder &) { return m.tensor("x"); },
    });
    rules.push_back({
        .name = "drop-repeated-operand-of-" + op,
        .category = Category::Associative,
        .formula = textOf(fn, textOf(fn, "a", "b"), "b") + " = " + textOf(fn, "a", "b"),
        .types = elementTypesOf(fn),
        .patterns = {apply(fn, apply(fn, a, b).as("inner"), b)},
        .build = [](const Match &m, Builder &) { return m.tensor("inner"); },
    });
}

/// The type for which an operation's neutral and absorbing elements are written down.
DataType typicalType(Fn fn)
{
    const unsigned types = elementTypesOf(fn);
    return types & Reals ? DataType::Float : types == Bools ? DataType::Bool : DataType::Int32;
}

void addElements(std::vector<Rule> &rules, Fn fn)
{
    const std::string op = operatorOf(fn);
    // The number depends on the type where it is the least or the greatest one.
    const auto isElement = [fn](std::optional<double> (*element)(Fn, DataType)) {
        return [fn, element](const Match &m) {
            const auto value = numberOf(m.value("e"));
            return value && value == element(fn, m.type("e"));
        };
    };
    const auto text = [](double value) {
        return value == std::numeric_limits<double>::infinity()    ? std::string("inf")
               : value == -std::numeric_limits<double>::infinity() ? std::string("-inf")
                                                                   : std::to_string(int(value));
    };
    const auto instance = [&](double value) {
        std::vector<Instance> instances;
        const unsigned types = elementTypesOf(fn);
        const bool bounded = fn == Fn::Min || fn == Fn::Max;
        for (const DataType type : {DataType::Float, DataType::Int32, DataType::Bool}) {
            if (!(types & elementTypeOf(type)) || (bounded && type != DataType::Float))
                continue;
            Instance with{{{"e", {}, scalarData(value, type), type}}};
            with.variables.push_back({"x", {3, 4}, {}, type});
            instances.push_back(std::move(with));
        }
        return instances;
    };
    if (const auto e = identityOf(fn, typicalType(fn)))
        rules.push_back({
            .name = "drop-neutral-operand-of-" + op,
            .category = Category::Associative,
            .formula = textOf(fn, "x", text(*e)) + " = x",
            .types = elementTypesOf(fn),
            .patterns = {apply(fn, x, constant("e"))},
            .when = isElement(identityOf),
            .build = [](const Match &m, Builder &) { return m.tensor("x"); },
            .instances = instance(*e),
            .twins = instance(*e == 1 ? 0 : 1),
        });
    if (const auto z = absorberOf(fn, typicalType(fn)))
        rules.push_back({
            .name = "absorb-operand-of-" + op,
            .category = Category::Associative,
            .formula = textOf(fn, "x", text(*z)) + " = " + text(*z),
            .where = fn == Fn::Mul ? std::vector{finite("x")} : std::vector<Requirement>(),
            .types = elementTypesOf(fn),
            .patterns = {apply(fn, x, constant("e")).as("all")},
            .when = isElement(absorberOf),
            .build =
                [](const Match &m, Builder &to) {
                    return filled(to, m.value("all"), *numberOf(m.value("e")));
                },
            .instances = instance(*z),
            .twins = instance(*z == 1 ? 0 : 1),
        });
}

/// Rules of an operation and the one that undoes it, such as + and -, * and /.
void addCancelling(std::vector<Rule> &rules, Fn fn, Fn undo, bool exactly)
{
    const std::string op = operatorOf(fn), back = operatorOf(undo);
    const auto needed = [&](const char *variable) {
        return exactly ? std::vector<Requirement>() : std::vector{nonZero(variable)};
    };
    const unsigned types = exactly ? elementTypesOf(fn) : unsigned(Reals);
    const auto add = [&](std::string name, std::string formula, Pattern pattern, const char *kept,
                         std::vector<Requirement> where) {
        rules.push_back({
            .name = std::move(name),
            .category = Category::Associative,
            .formula = std::move(formula),
            .where = std::move(where),
            .types = types,
            .patterns = {std::move(pattern)},
            .build = [kept](const Match &m, Builder &) { return m.tensor(kept); },
        });
    };
    add("cancel-" + op + "-by-" + back,
        textOf(undo, "(" + textOf(fn, "a", "b") + ")", "b") + " = a",
        apply(undo, apply(fn, a, b), b), "a", needed("b"));
    if (isCommutative(undo) && !isCommutative(fn)) // a - (a - b) = b
        add("cancel-" + op + "-in-" + op,
            textOf(fn, "a", "(" + textOf(fn, "a", "b") + ")") + " = b",
            apply(fn, a, apply(fn, a, b)), "b",
            exactly ? needed("b") : std::vector{nonZero("a"), nonZero("b")});
    if (fn == undo)
        rules.push_back({
            .name = "cancel-" + op + "-with-itself",
            .category = Category::Associative,
            .formula = textOf(fn, "x", "x") + " = 0",
            .types = types,
            .patterns = {apply(fn, x, x).as("all")},
            .build = [](const Match &m, Builder &to) { return filled(to, m.value("all"), 0); },
        });
}

/// Rules of the inverse operation of a group: - for +, / for *.
void addGroup(std::vector<Rule> &rules, Fn minus, Fn plus)
{
    const std::string op = operatorOf(minus), group = operatorOf(plus);
    const bool exactly = undoingOf(plus)->exactly;
    const unsigned types = exactly ? elementTypesOf(plus) : unsigned(Reals);
    using Build = std::function<Replacement(const Match &, Builder &)>;
    const auto add = [&](std::string name, std::string left, std::string right, Pattern pattern,
                         Build build, std::vector<Requirement> where = {}) {
        rules.push_back({
            .name = std::move(name),
            .category = Category::Associative,
            .formula = std::move(left) + " = " + std::move(right),
            .where = exactly ? std::vector<Requirement>() : std::move(where),
            .types = types,
            .patterns = {std::move(pattern)},
            .build = std::move(build),
        });
    };
    const auto minusText = [&](const std::string &p, const std::string &q) {
        return textOf(minus, p, q);
    };
    const auto plusText = [&](const std::string &p, const std::string &q) {
        return textOf(plus, p, q);
    };
    const auto in = [](const std::string &text) { return "(" + text + ")"; };
    // p outer (q inner r), or (p inner q) outer r
    const auto right = [](Fn outer, const char *p, Fn inner, const char *q, const char *r) {
        return [=](const Match &m, Builder &to) -> Replacement {
            return apply(to, outer, m.tensor(p), apply(to, inner, m.tensor(q), m.tensor(r)));
        };
    };
    const auto left = [](Fn outer, Fn inner, const char *p, const char *q, const char *r) {
        return [=](const Match &m, Builder &to) -> Replacement {
            return apply(to, outer, apply(to, inner, m.tensor(p), m.tensor(q)), m.tensor(r));
        };
    };
    const auto single = [](Fn fn, const char *p, const char *q) {
        return [=](const Match &m, Builder &to) -> Replacement {
            return apply(to, fn, m.tensor(p), m.tensor(q));
        };
    };
    add("gather-second-operands-of-" + op, minusText(in(minusText("a", "b")), "c"),
        minusText("a", in(plusText("b", "c"))), apply(minus, apply(minus, a, b), c),
        right(minus, "a", plus, "b", "c"));
    add("regroup-" + op + "-under-" + group, plusText(in(minusText("a", "b")), "c"),
        plusText("a", in(minusText("c", "b"))), apply(plus, apply(minus, a, b), c),
        right(plus, "a", minus, "c", "b"));
    add("regroup-" + group + "-under-" + op, minusText(in(plusText("a", "b")), "c"),
        plusText("a", in(minusText("b", "c"))), apply(minus, apply(plus, a, b), c),
        right(plus, "a", minus, "b", "c"));
    add("gather-first-operands-of-" + op, minusText("a", in(plusText("b", "c"))),
        minusText(in(minusText("a", "b")), "c"), apply(minus, a, apply(plus, b, c)),
        left(minus, minus, "a", "b", "c"));
    add("unnest-" + op, minusText("a", in(minusText("b", "c"))),
        minusText(in(plusText("a", "c")), "b"), apply(minus, a, apply(minus, b, c)),
        left(minus, plus, "a", "c", "b"), {nonZero("c")});
    add("unnest-" + op + "-of-near-operands", minusText("a", in(minusText("b", "c"))),
        plusText(in(minusText("a", "b")), "c"), apply(minus, a, apply(minus, b, c)),
        left(plus, minus, "a", "b", "c"), {nonZero("c")});
    add("chain-" + op, plusText(in(minusText("a", "b")), in(minusText("b", "c"))),
        minusText("a", "c"), apply(plus, apply(minus, a, b), apply(minus, b, c)),
        single(minus, "a", "c"), {nonZero("b")});
    add("cancel-common-second-operand-of-" + op,
        minusText(in(minusText("a", "c")), in(minusText("b", "c"))), minusText("a", "b"),
        apply(minus, apply(minus, a, c), apply(minus, b, c)), single(minus, "a", "b"),
        {nonZero("c")});
    add("cancel-common-first-operand-of-" + op,
        minusText(in(minusText("c", "a")), in(minusText("c", "b"))), minusText("b", "a"),
        apply(minus, apply(minus, c, a), apply(minus, c, b)), single(minus, "b", "a"),
        {nonZero("c"), nonZero("b")});
    add("cancel-common-operand-of-" + group,
        minusText(in(plusText("a", "c")), in(plusText("b", "c"))), minusText("a", "b"),
        apply(minus, apply(plus, a, c), apply(plus, b, c)), single(minus, "a", "b"),
        {nonZero("c")});
    add("merge-" + op + "-pair", plusText(in(minusText("a", "b")), in(minusText("c", "d"))),
        minusText(in(plusText("a", "c")), in(plusText("b", "d"))),
        apply(plus, apply(minus, a, b), apply(minus, c, d)),
        [=](const Match &m, Builder &to) -> Replacement {
            return apply(to, minus, apply(to, plus, m.tensor("a"), m.tensor("c")),
                         apply(to, plus, m.tensor("b"), m.tensor("d")));
        });
    const double neutral = *identityOf(plus, DataType::Float);
    rules.push_back({
        .name = "cancel-" + op + "-with-itself",
        .category = Category::Associative,
        .formula = minusText("x", "x") + " = " + std::to_string(int(neutral)),
        .where = exactly ? std::vector{finite("x")} : std::vector{finite("x"), nonZero("x")},
        .types = types,
        .patterns = {apply(minus, x, x).as("all")},
        .build = [neutral](const Match &m,
                           Builder &to) { return filled(to, m.value("all"), neutral); },
    });
}

} // namespace
} // namespace associativity

std::vector<Rule> associativityRules()
{
    using namespace associativity;
    std::vector<Rule> rules;
    for (const Fn fn : binaryFunctions()) {
        if (isAssociative(fn) && isCommutative(fn))
            addRegrouping(rules, fn);
        if (isIdempotent(fn))
            addIdempotence(rules, fn);
        addElements(rules, fn);
        if (const auto undo = undoingOf(fn); undo && !operatorOf(undo->fn).empty())
            addCancelling(rules, fn, undo->fn, undo->exactly);
        if (const auto group = groupOf(fn))
            addGroup(rules, fn, *group);
    }
    return rules;
}

} // namespace graphloom::dnnfusion
