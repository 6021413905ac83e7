// SPDX-License-Identifier: Apache-2.0
// Rules of operators that are linear in their data and in their weights.
#include "engine/ops/derive/linear.h"
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace contraction {
namespace {

const Pattern x = any("x"), w = any("w"), s = any("s");

/// Returns the instance of a bilinear operator for calls of these names. The other variables have
/// the shape of one of its inputs, or that of a number.
Instance instanceOf(const BilinearOperator &op, const std::vector<std::string> &calls,
                    const std::vector<std::pair<std::string, std::string>> &like = {})
{
    Instance instance;
    instance.variables = op.instance.variables;
    for (const auto &[name, input] : like) {
        Shape shape;
        for (const Instance::Variable &variable : op.instance.variables)
            if (variable.name == input)
                shape = variable.shape;
        instance.variables.push_back({name, std::move(shape)});
    }
    for (const std::string &call : calls)
        instance.attributes.push_back({call, op.instance.attributes.front().second});
    return instance;
}

/// Tells whether the call is bilinear with its own attributes.
bool isBilinear(const Match &m, const std::string &name)
{
    const auto description = m.terms().describe(m.terms().call(m[name]));
    return description && isLinearIn(*description, 0) && isLinearIn(*description, 1);
}

void addFactoring(std::vector<Rule> &rules, const BilinearOperator &op, Fn plus)
{
    const auto sameShape = [](const char *p, const char *q) {
        return [=](const Match &m) {
            return sameAttributes(m, "f", "g") && m.hasShape(p) &&
                   m.value(p).shape == m.value(q).shape && isBilinear(m, "f");
        };
    };
    rules.push_back({
        .name = "factor-weights-of-" + op.name + "-out-of-" + operatorOf(plus),
        .category = Category::Distributive,
        .formula = textOf(plus, op.name + "(x, w)", op.name + "(y, w)") + " = " + op.name + "(" +
                   textOf(plus, "x", "y") + ", w)",
        .domain = "x and y have the same shape",
        .types = Reals,
        .patterns = {apply(plus, call(op.name, {x, w}).as("f"),
                           call(op.name, {any("y"), w}).as("g"))},
        .when = sameShape("x", "y"),
        .build =
            [plus](const Match &m, Builder &to) {
                const TensorId sum = apply(to, plus, m.tensor("x"), m.tensor("y"));
                return to.again(m["f"], {sum, m.tensor("w")})[0];
            },
        .instances = {instanceOf(op, {"f", "g"}, {{"y", "x"}})},
    });
    rules.push_back({
        .name = "factor-data-of-" + op.name + "-out-of-" + operatorOf(plus),
        .category = Category::Distributive,
        .formula = textOf(plus, op.name + "(x, w)", op.name + "(x, v)") + " = " + op.name + "(x, " +
                   textOf(plus, "w", "v") + ")",
        .domain = "w and v have the same shape",
        .types = Reals,
        .patterns = {apply(plus, call(op.name, {x, w}).as("f"),
                           call(op.name, {x, any("v")}).as("g"))},
        .when = sameShape("w", "v"),
        .build =
            [plus](const Match &m, Builder &to) {
                const TensorId sum = apply(to, plus, m.tensor("w"), m.tensor("v"));
                return to.again(m["f"], {m.tensor("x"), sum})[0];
            },
        .instances = {instanceOf(op, {"f", "g"}, {{"v", "w"}})},
    });
}

bool isNumber(const Match &m, const char *name)
{
    return m.hasShape(name) && elementsOf(m.shape(name)) == Dim(1);
}

/// Adds rules that move a factor or divisor of data, weights or the result to where it costs least.
void addScaling(std::vector<Rule> &rules, const BilinearOperator &op, Fn scale)
{
    enum Place { Data, Weights, Behind };
    struct Form {
        const char *name;
        Pattern pattern;
        std::string text;
    };
    const auto scaledText = [&](const std::string &p) { return textOf(scale, p, "s"); };
    const Form forms[] = {
        {"data", call(op.name, {apply(scale, x, s), w}).as("f"),
         op.name + "(" + scaledText("x") + ", w)"},
        {"weights", call(op.name, {x, apply(scale, w, s)}).as("f"),
         op.name + "(x, " + scaledText("w") + ")"},
        {"result", apply(scale, call(op.name, {x, w}).as("f"), s), scaledText(op.name + "(x, w)")},
    };
    for (const Place from : {Data, Weights, Behind})
        for (const Place to : {Data, Weights, Behind}) {
            if (from == to)
                continue;
            Instance twin = instanceOf(op, {"f"}, {{"s", from == Weights ? "w" : "x"}});
            if (from == Behind) // the number of channels or columns in the example
                twin.variables.back().shape =
                    twin.variables.front().shape.size() == 4 ? Shape{4, 1, 1} : Shape{4};
            rules.push_back({
                .name = "move-" + operatorOf(scale) + "-from-" + forms[from].name + "-to-" +
                        forms[to].name + "-of-" + op.name,
                .category = Category::Commutative,
                .formula = forms[from].text + " = " + forms[to].text,
                .domain = "s is a single number",
                .where = scale == Fn::Div ? std::vector{nonZero("s")} : std::vector<Requirement>(),
                .types = Reals,
                .patterns = {forms[from].pattern},
                .when = [](const Match &m) { return isNumber(m, "s") && isBilinear(m, "f"); },
                .build =
                    [=](const Match &m, Builder &builder) {
                        TensorId data = m.tensor("x"), weights = m.tensor("w");
                        if (to != Behind) {
                            TensorId &operand = to == Data ? data : weights;
                            operand = apply(builder, scale, operand, m.tensor("s"));
                        }
                        const TensorId result = builder.again(m["f"], {data, weights})[0];
                        return to == Behind ? apply(builder, scale, result, m.tensor("s")) : result;
                    },
                .instances = {instanceOf(op, {"f"}, {{"s", ""}})},
                .twins = {std::move(twin)},
            });
        }
}

/// (x w + b) s = x (w s) + b s, where w and b are constants: nothing remains to be computed.
Rule scalingOfBiased(const BilinearOperator &op, Fn scale)
{
    Instance instance = instanceOf(op, {"f"}, {{"b", ""}});
    instance.variables.push_back({"s", {}});
    for (Instance::Variable &variable : instance.variables)
        if (variable.name != "x" && !variable.constant) {
            TensorData::Extents extents;
            for (const Dim &dim : variable.shape)
                extents.push_back(dim.value());
            const TensorData half = scalarData(0.5, DataType::Float);
            variable.constant = TensorData::splat(DataType::Float, std::move(extents),
                                                  {half.bytes().begin(), half.bytes().end()});
            variable.type = DataType::Float;
        }
    return {
        .name = "fold-" + operatorOf(scale) + "-into-biased-" + op.name,
        .category = Category::Distributive,
        .formula = textOf(scale, "(" + op.name + "(x, w) + b)", "s") + " = " + op.name + "(x, " +
                   textOf(scale, "w", "s") + ") + " + textOf(scale, "b", "s"),
        .domain = "w, b and s are constants, s is a single number",
        .types = Reals,
        .patterns = {apply(scale,
                           apply(Fn::Add, call(op.name, {x, constant("w")}).as("f"), constant("b")),
                           constant("s"))},
        .when = [](const Match &m) { return isNumber(m, "s") && isBilinear(m, "f"); },
        .build =
            [=](const Match &m, Builder &to) {
                const TensorId weights = apply(to, scale, m.tensor("w"), m.tensor("s"));
                const TensorId product = to.again(m["f"], {m.tensor("x"), weights})[0];
                return apply(to, Fn::Add, product, apply(to, scale, m.tensor("b"), m.tensor("s")));
            },
        .instances = {std::move(instance)},
    };
}

/// Adds rules that order products of matrices by cost.
void addAssociativity(std::vector<Rule> &rules, const std::string &product)
{
    const Pattern a = any("a"), b = any("b"), c = any("c");
    const Instance instance{{{"a", {2, 3}}, {"b", {3, 4}}, {"c", {4, 1}}}};
    const Instance other{{{"a", {1, 3}}, {"b", {3, 4}}, {"c", {4, 5}}}};
    const auto isMatrix = [](const Match &m, const char *name) {
        return m.hasShape(name) && m.shape(name).size() >= 2;
    };
    const auto matrices = [=](const Match &m) {
        return isMatrix(m, "a") && isMatrix(m, "b") && isMatrix(m, "c");
    };
    rules.push_back({
        .name = "multiply-last-first-in-" + product,
        .category = Category::Associative,
        .formula = "(a b) c = a (b c)",
        .domain = "a, b and c are matrices",
        .types = Reals,
        .patterns = {call(product, {call(product, {a, b}), c})},
        .when = matrices,
        .build =
            [=](const Match &m, Builder &to) {
                return to.call(product,
                               {m.tensor("a"), to.call(product, {m.tensor("b"), m.tensor("c")})});
            },
        .instances = {instance},
        .twins = {{{{"a", {2, 3}}, {"b", {3, 4}}, {"c", {4}}}}},
    });
    rules.push_back({
        .name = "multiply-first-first-in-" + product,
        .category = Category::Associative,
        .formula = "a (b c) = (a b) c",
        .domain = "a, b and c are matrices",
        .types = Reals,
        .patterns = {call(product, {a, call(product, {b, c})})},
        .when = matrices,
        .build =
            [=](const Match &m, Builder &to) {
                return to.call(product,
                               {to.call(product, {m.tensor("a"), m.tensor("b")}), m.tensor("c")});
            },
        .instances = {other},
        .twins = {{{{"a", {3}}, {"b", {3, 4}}, {"c", {4, 5}}}}},
    });
}

} // namespace
} // namespace contraction

std::vector<Rule> contractionRules()
{
    using namespace contraction;
    std::vector<Rule> rules;
    for (const BilinearOperator &op : bilinearOperators()) {
        for (const Fn plus : {Fn::Add, Fn::Sub})
            addFactoring(rules, op, plus);
        for (const Fn scale : {Fn::Mul, Fn::Div}) {
            addScaling(rules, op, scale);
            rules.push_back(scalingOfBiased(op, scale));
        }
    }
    addAssociativity(rules, "MatMul");
    return rules;
}

} // namespace graphloom::dnnfusion
