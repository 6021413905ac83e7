// SPDX-License-Identifier: Apache-2.0
// Rules from the structure of one operation: associativity, neutral and absorbing elements,
// idempotence, and the inverse operation.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

namespace associativity {
namespace {

const Pattern a = any("a"), b = any("b"), c = any("c"), x = any("x");

/// Adds rules of an associative and commutative operation.
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
    // Table 4: (A * s) * (s * C) = A * s^2 * C, where s is smaller.
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

/// Returns the type for which formulas state an operation's neutral and absorbing elements.
DataType typicalType(Fn fn)
{
    const unsigned types = elementTypesOf(fn);
    return types & Reals ? DataType::Float : types == Bools ? DataType::Bool : DataType::Int32;
}

void addElements(std::vector<Rule> &rules, Fn fn)
{
    const std::string op = operatorOf(fn);
    // The number depends on the type if it is the smallest or the largest one.
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

/// Adds rules of an operation and its inverse, such as + and -, * and /.
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

/// Represents one side of a rule's formula: a variable, or a function of two other terms.
struct Term {
    Term(const char *name) : variable(name) {}
    Term(Fn function, Term p, Term q) : fn(function), operands{std::move(p), std::move(q)} {}

    std::string text() const
    {
        const auto operand = [](const Term &term) {
            return term.operands.empty() ? term.text() : "(" + term.text() + ")";
        };
        return operands.empty() ? variable : textOf(fn, operand(operands[0]), operand(operands[1]));
    }
    Pattern pattern() const
    {
        return operands.empty() ? any(variable)
                                : apply(fn, operands[0].pattern(), operands[1].pattern());
    }
    TensorId build(const Match &m, Builder &to) const
    {
        return operands.empty() ? m.tensor(variable)
                                : apply(to, fn, operands[0].build(m, to), operands[1].build(m, to));
    }

    std::string variable;
    Fn fn = {};
    std::vector<Term> operands;
};

/// Adds rules of the inverse operation of a group: - for +, / for *.
class GroupRules {
public:
    GroupRules(std::vector<Rule> &rules, Fn minus, Fn plus)
        : m_rules(rules), m_minus(minus), m_plus(plus), m_exactly(undoingOf(plus)->exactly),
          m_types(m_exactly ? elementTypesOf(plus) : unsigned(Reals)), m_op(operatorOf(minus)),
          m_group(operatorOf(plus))
    {
    }

    void add()
    {
        addRegrouping();
        addCommonOperands();
        add("merge-" + m_op + "-pair", plus(minus("a", "b"), minus("c", "d")),
            minus(plus("a", "c"), plus("b", "d")));
        addSelf();
    }

private:
    Term minus(Term p, Term q) const { return {m_minus, std::move(p), std::move(q)}; }
    Term plus(Term p, Term q) const { return {m_plus, std::move(p), std::move(q)}; }

    /// Adds a rule that replaces the left term by the right one. An operation that is undone
    /// exactly, subtraction, needs no requirements.
    void add(std::string name, const Term &left, Term right, std::vector<Requirement> where = {})
    {
        m_rules.push_back({
            .name = std::move(name),
            .category = Category::Associative,
            .formula = left.text() + " = " + right.text(),
            .where = m_exactly ? std::vector<Requirement>() : std::move(where),
            .types = m_types,
            .patterns = {left.pattern()},
            .build = [right = std::move(right)](const Match &m, Builder &to) -> Replacement {
                return right.build(m, to);
            },
        });
    }

    void addRegrouping()
    {
        add("gather-second-operands-of-" + m_op, minus(minus("a", "b"), "c"),
            minus("a", plus("b", "c")));
        add("regroup-" + m_op + "-under-" + m_group, plus(minus("a", "b"), "c"),
            plus("a", minus("c", "b")));
        add("regroup-" + m_group + "-under-" + m_op, minus(plus("a", "b"), "c"),
            plus("a", minus("b", "c")));
        add("gather-first-operands-of-" + m_op, minus("a", plus("b", "c")),
            minus(minus("a", "b"), "c"));
        add("unnest-" + m_op, minus("a", minus("b", "c")), minus(plus("a", "c"), "b"),
            {nonZero("c")});
        add("unnest-" + m_op + "-of-near-operands", minus("a", minus("b", "c")),
            plus(minus("a", "b"), "c"), {nonZero("c")});
    }

    void addCommonOperands()
    {
        add("chain-" + m_op, plus(minus("a", "b"), minus("b", "c")), minus("a", "c"),
            {nonZero("b")});
        add("cancel-common-second-operand-of-" + m_op, minus(minus("a", "c"), minus("b", "c")),
            minus("a", "b"), {nonZero("c")});
        add("cancel-common-first-operand-of-" + m_op, minus(minus("c", "a"), minus("c", "b")),
            minus("b", "a"), {nonZero("c"), nonZero("b")});
        add("cancel-common-operand-of-" + m_group, minus(plus("a", "c"), plus("b", "c")),
            minus("a", "b"), {nonZero("c")});
    }

    void addSelf()
    {
        const double neutral = *identityOf(m_plus, DataType::Float);
        m_rules.push_back({
            .name = "cancel-" + m_op + "-with-itself",
            .category = Category::Associative,
            .formula = minus("x", "x").text() + " = " + std::to_string(int(neutral)),
            .where = m_exactly ? std::vector{finite("x")} : std::vector{finite("x"), nonZero("x")},
            .types = m_types,
            .patterns = {apply(m_minus, x, x).as("all")},
            .build = [neutral](const Match &m,
                               Builder &to) { return filled(to, m.value("all"), neutral); },
        });
    }

    std::vector<Rule> &m_rules;
    const Fn m_minus, m_plus;
    const bool m_exactly;
    const unsigned m_types;
    const std::string m_op, m_group;
};

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
            GroupRules(rules, fn, *group).add();
    }
    return rules;
}

} // namespace graphloom::dnnfusion
