// SPDX-License-Identifier: Apache-2.0
// Rules of operators that only move elements: elementwise calls commute with them.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

namespace {

using Effect = MovementOperator::Effect;

std::vector<std::string> unaryNames()
{
    std::vector<std::string> names;
    for (const UnaryOperator &op : unaryOperators())
        if (op.inputs == 1 && op.type == DataType::Float)
            names.push_back(op.name);
    return names;
}

std::vector<std::string> binaryNames()
{
    std::vector<std::string> names;
    for (const Fn fn : binaryFunctions())
        if (elementTypesOf(fn) & Reals)
            names.push_back(operatorOf(fn));
    return names;
}

Pattern move(const MovementOperator &op, Pattern x, const std::string &as)
{
    std::vector<Pattern> inputs{std::move(x)};
    for (std::size_t i = 1; i < op.inputs; ++i)
        inputs.push_back(any("p" + std::to_string(i)));
    return call(op.name, std::move(inputs)).as(as);
}

Instance instanceOf(const MovementOperator &op, const std::vector<std::string> &calls)
{
    Instance instance;
    instance.variables = op.instance.variables;
    for (const std::string &call : calls)
        instance.attributes.push_back({call, op.instance.attributes.front().second});
    return instance;
}

/// move(f(x)) = f(move(x)): f is applied on the side with fewer elements.
void addUnary(std::vector<Rule> &rules, const MovementOperator &op)
{
    if (op.effect == Effect::Fewer)
        rules.push_back({
            .name = "move-" + op.name + "-before-functions",
            .category = Category::Commutative,
            .formula = op.name + "(f(x)) = f(" + op.name + "(x)), f of one argument",
            .types = Reals,
            .patterns = {move(op, callOf(unaryNames(), {any("x")}).as("f"), "move")},
            .build =
                [](const Match &m, Builder &to) {
                    return again(m, to, "f", again(m, to, "move", m.tensor("x")));
                },
            .instances = {instanceOf(op, {"move"})},
        });
    else
        rules.push_back({
            .name = "move-" + op.name + "-behind-functions",
            .category = Category::Commutative,
            .formula = "f(" + op.name + "(x)) = " + op.name + "(f(x)), f of one argument",
            .types = Reals,
            .patterns = {callOf(unaryNames(), {move(op, any("x"), "move")}).as("f")},
            .build =
                [](const Match &m, Builder &to) {
                    return again(m, to, "move", again(m, to, "f", m.tensor("x")));
                },
            .instances = {instanceOf(op, {"move"})},
        });
}

/// move(x) op s = move(x op s), where s is a single number.
void addScaling(std::vector<Rule> &rules, const MovementOperator &op)
{
    const auto isNumber = [](const Match &m) {
        return m.hasShape("s") && elementsOf(m.shape("s")) == Dim(1) &&
               m.shape("s").size() <= m.shape("x").size();
    };
    Instance instance = instanceOf(op, {"move"}), twin = instance;
    instance.variables.push_back({"s", {}});
    const bool fewer = op.effect == Effect::Fewer;
    twin.variables.push_back({"s", fewer ? twin.variables[0].shape : op.result});
    const Pattern x = any("x"), s = any("s");
    rules.push_back({
        .name = "move-" + op.name + (fewer ? "-before" : "-behind") + "-operations-with-numbers",
        .category = Category::Commutative,
        .formula = fewer ? op.name + "(f(x, s)) = f(" + op.name + "(x), s)"
                         : "f(" + op.name + "(x), s) = " + op.name + "(f(x, s))",
        .domain = "s is a single number",
        .types = Reals,
        .patterns = {fewer ? move(op, callOf(binaryNames(), {x, s}).as("f"), "move")
                           : callOf(binaryNames(), {move(op, x, "move"), s}).as("f")},
        .when = isNumber,
        .build =
            [fewer](const Match &m, Builder &to) {
                const std::string first = fewer ? "move" : "f", second = fewer ? "f" : "move";
                const auto applied = [&](const std::string &name, TensorId value) {
                    if (name == "move")
                        return again(m, to, name, value);
                    // The number may be the first operand of a commutative operation.
                    std::vector<TensorId> inputs = m["f"].inputs;
                    inputs[inputs[0] == m.tensor("s") ? 1 : 0] = value;
                    return to.again(m["f"], std::move(inputs))[0];
                };
                return applied(second, applied(first, m.tensor("x")));
            },
        .instances = {std::move(instance)},
        .twins = {std::move(twin)},
    });
}

/// move(x) op move(y) = move(x op y)
void addJoining(std::vector<Rule> &rules, const MovementOperator &op)
{
    Instance instance = instanceOf(op, {"move", "other"});
    instance.variables.push_back({"y", instance.variables[0].shape});
    rules.push_back({
        .name = "join-" + op.name + "-under-operations",
        .category = Category::Distributive,
        .formula = "f(" + op.name + "(x), " + op.name + "(y)) = " + op.name +
                   "(f(x, y)), f of two arguments",
        .domain = "x and y have the same shape",
        .types = Reals,
        .patterns = {callOf(binaryNames(),
                            {move(op, any("x"), "move"), move(op, any("y"), "other")})
                         .as("f")},
        .when =
            [](const Match &m) {
                return sameAttributes(m, "move", "other") && m.hasShape("x") &&
                       m.value("x").shape == m.value("y").shape;
            },
        .build =
            [](const Match &m, Builder &to) {
                const TensorId joined = to.again(m["f"], {m.tensor("x"), m.tensor("y")})[0];
                return again(m, to, "move", joined);
            },
        .instances = {std::move(instance)},
    });
}

/// Adds rules that move increasing functions after pooling, to fewer elements.
void addPooling(std::vector<Rule> &rules)
{
    std::vector<std::string> rising;
    for (const UnaryOperator &op : unaryOperators())
        if (op.type == DataType::Float && op.inputs == 1 &&
            scalarOf(op, {}).turns(Fn::Max, Fn::Max))
            rising.push_back(op.name);
    for (const std::string &pool : poolingOperators(Fn::Max))
        rules.push_back({
            .name = "move-" + pool + "-before-rising-functions",
            .category = Category::Commutative,
            .formula = pool + "(f(x)) = f(" + pool + "(x)), f increasing",
            .types = Reals,
            .patterns = {call(pool, {callOf(rising, {any("x")}).as("f")}).as("pool")},
            .when =
                [](const Match &m) {
                    const auto function = scalarOf(m, "f", 0, {});
                    return m["pool"].outputs.size() == 1 && function &&
                           function->turns(Fn::Max, Fn::Max);
                },
            .build =
                [](const Match &m, Builder &to) {
                    return again(m, to, "f", again(m, to, "pool", m.tensor("x")));
                },
            .instances = {{{{"x", {1, 2, 4, 4}}},
                           {{"pool",
                             {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                              {"strides", std::vector<std::int64_t>{2, 2}}}}}}},
        });
}

} // namespace

std::vector<Rule> movingRules()
{
    std::vector<Rule> rules;
    for (const MovementOperator &op : movementOperators()) {
        addUnary(rules, op);
        addScaling(rules, op);
        if (op.effect != Effect::Fewer)
            addJoining(rules, op);
    }
    addPooling(rules);
    return rules;
}

} // namespace graphloom::dnnfusion
