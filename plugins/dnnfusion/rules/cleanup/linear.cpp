// SPDX-License-Identifier: Apache-2.0
// Folds factors and addends after calls that are linear in their weights into weights and biases.
#include "plugins/dnnfusion/rules/cleanup/affine.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

namespace graphloom::dnnfusion {

namespace {

constexpr int whole = ParameterDimension::whole;

/// Returns the dimension that constants broadcast to a value run along; none if there are several,
/// or more elements than in the value.
std::optional<int> dimensionOf(const Shape &constant, const Shape &value)
{
    int along = whole;
    if (constant.size() > value.size())
        return std::nullopt;
    for (std::size_t i = 0; i < constant.size(); ++i) {
        const std::size_t d = value.size() - constant.size() + i;
        if (constant[i] == Dim(1))
            continue;
        if (along != whole || !(constant[i] == value[d]))
            return std::nullopt;
        along = int(d);
    }
    return along;
}

using MakeAffine = std::function<std::optional<Affine>(const Match &, Builder &)>;

/// Returns a rule whose root is an affine function of "y", the result of a linear call.
Rule intoParameters(std::string name, std::string formula, std::vector<Pattern> patterns,
                    MakeAffine affineOf)
{
    return {.name = std::move(name),
            .category = Rule::Category::Cleanup,
            .formula = std::move(formula),
            .domain = "constants",
            .flops = "f + n -> f",
            .patterns = std::move(patterns),
            .when =
                [](const Match &m) {
                    return m.hasShape("y") && m.shape("y").size() >= 2 &&
                           isFloatingPoint(m.type("y"));
                },
            .build =
                [affineOf = std::move(affineOf)](const Match &m, Builder &b) {
                    const auto affine = affineOf(m, b);
                    const auto value =
                        affine ? absorbed(m.terms(), b, m.call("y"), *affine) : std::nullopt;
                    if (!value)
                        b.refuse();
                    return value.value_or(m.tensor("y"));
                }};
}

Pattern linearCall()
{
    return anyCall({any("x"), constant("w")}).andMore().as("y");
}

/// Uses one constant "c" as scale or shift.
MakeAffine fromConstant(const char *inverse, TensorId Affine::*part)
{
    return [=](const Match &m, Builder &b) -> std::optional<Affine> {
        const auto along = dimensionOf(m.shape("c"), m.shape("y"));
        if (!along)
            return std::nullopt;
        Affine affine;
        affine.along = *along;
        affine.*part = *inverse ? b.call(inverse, {m.tensor("c")}) : m.tensor("c");
        return affine;
    };
}

/// (y - mean) / sqrt(variance + epsilon) * scale + shift.
std::optional<Affine> fromBatchNormalization(const Match &m, Builder &b)
{
    if (m.rootNode().attributes.integer("training_mode", 0) != 0)
        return std::nullopt;
    const auto type = m.type("variance");
    const TensorId epsilon = b.scalar(m.rootNode().attributes.real("epsilon", 1e-5f), type);
    const TensorId deviation = b.call("Sqrt", {b.call("Add", {m.tensor("variance"), epsilon})});
    Affine affine;
    affine.along = 1;
    affine.scale = b.call("Div", {m.tensor("scale"), deviation});
    affine.shift =
        b.call("Sub", {m.tensor("shift"), b.call("Mul", {m.tensor("mean"), affine.scale})});
    return affine;
}

/// MatMul has no bias, but a Gemm of matrices does.
Rule productWithBias()
{
    return {.name = "bias-of-matrix-product",
            .category = Rule::Category::Cleanup,
            .formula = "MatMul(x, w) + c = Gemm(x, w, c)",
            .domain = "matrices",
            .flops = "f + n -> f + n, one call fewer",
            .patterns = {call("Add", {call("MatMul", {any("x"), any("w")}), constant("c")})},
            .when =
                [](const Match &m) {
                    return m.shape("x").size() == 2 && m.shape("w").size() == 2 &&
                           m.shape("c").size() <= 2 && isFloatingPoint(m.type("x"));
                },
            .build =
                [](const Match &m, Builder &b) {
                    return b.call("Gemm", {m.tensor("x"), m.tensor("w"), m.tensor("c")});
                }};
}

/// For example, moves the scale of an attention into the weights of the projection of its queries.
Rule factorUpstream(std::string op, const char *inverse)
{
    constexpr int highest = 8; // number of calls
    return {.name = op == "Mul" ? "factor-into-weights-upstream" : "divisor-into-weights-upstream",
            .category = Rule::Category::Cleanup,
            .formula = "c * f(x * w + b) = f(x * (c * w) + c * b), f linear",
            .domain = "c is a single number",
            .flops = "f + n -> f",
            .patterns = {call(op, {anyCall({}).andMore().as("y"), constant("c")})},
            .when =
                [](const Match &m) {
                    return m.constant("c")->elements() == 1 && isFloatingPoint(m.type("y")) &&
                           m.shape("c").size() <= m.shape("y").size();
                },
            .build =
                [inverse](const Match &m, Builder &b) {
                    const TensorId c = placed(b, m.tensor("c"), 0, 0);
                    const auto value = scaledUpstream(m.terms(), b, m.tensor("y"),
                                                      *inverse ? b.call(inverse, {c}) : c, highest);
                    if (!value)
                        b.refuse();
                    return value.value_or(m.tensor("y"));
                }};
}

} // namespace

std::vector<Rule> linearRules()
{
    const Pattern y = linearCall();
    const Pattern c = constant("c");
    return {
        intoParameters("normalization-into-weights",
                       "BatchNormalization(f(x, w)) = f(x, w * s) + t, f linear in w",
                       {call("BatchNormalization", {y, constant("scale"), constant("shift"),
                                                    constant("mean"), constant("variance")})},
                       fromBatchNormalization),
        intoParameters("factor-into-weights", "f(x, w) * c = f(x, w * c), f linear in w",
                       {call("Mul", {y, c})}, fromConstant("", &Affine::scale)),
        intoParameters("divisor-into-weights", "f(x, w) / c = f(x, w / c), f linear in w",
                       {call("Div", {y, c})}, fromConstant("Reciprocal", &Affine::scale)),
        intoParameters("addend-into-bias", "f(x, w, b) + c = f(x, w, b + c)", {call("Add", {y, c})},
                       fromConstant("", &Affine::shift)),
        intoParameters("subtrahend-into-bias", "f(x, w, b) - c = f(x, w, b - c)",
                       {call("Sub", {y, c})}, fromConstant("Neg", &Affine::shift)),
        productWithBias(),
        factorUpstream("Mul", ""),
        factorUpstream("Div", "Reciprocal"),
    };
}

} // namespace graphloom::dnnfusion
