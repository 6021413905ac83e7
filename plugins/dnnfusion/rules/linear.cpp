// SPDX-License-Identifier: Apache-2.0
// Factors and addends behind calls that are linear in their weights go into weights and biases.
#include "engine/ops/linear.h"
#include "plugins/dnnfusion/rules/cleanup.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

constexpr int whole = ParameterDimension::whole;

/// y * scale + shift, with constants that run along one dimension of y or are single numbers.
struct Affine {
    TensorId scale, shift; // invalid where there is none
    int along = whole;
};

/// Constants broadcast to a value of the rank: the dimension that they run along; none where they
/// have several, or more elements than the value.
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

/// Weights that other calls read as well are not copied, unless they are small.
bool isOwn(const Terms &terms, TensorId parameter)
{
    constexpr std::int64_t small = 4096;
    const auto &data = terms.tensor(parameter).constant;
    return data && isFloatingPoint(data->type()) &&
           (terms.uses(parameter) == 1 || data->elements() <= small);
}

/// The constants as a list along one dimension of a tensor of the rank.
TensorId placed(Builder &b, TensorId constants, int dimension, std::size_t rank)
{
    if (b.tensor(constants).constant && b.tensor(constants).constant->elements() == 1)
        return b.call("Reshape", {constants, b.integers({})});
    std::vector<std::int64_t> extents(rank, 1);
    extents[std::size_t(dimension)] = -1;
    return b.call("Reshape", {constants, b.integers(extents)});
}

/// The call with a bias in its third input, if that is what it adds to its result.
std::optional<Node> withBias(const Terms &terms, Builder &b, const Node &node, int along,
                             TensorId bias)
{
    Node biased = node;
    if (biased.inputs.size() != 2)
        return std::nullopt;
    biased.inputs.push_back(bias);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : biased.inputs)
        inputs.push_back(&b.tensor(input));
    const Call call(biased, std::move(inputs), terms.opsets()(node.domain));
    const auto description = describe(call);
    const bool adds = description && addedAlong(*description, 2, along) == 0;
    return adds ? std::optional(std::move(biased)) : std::nullopt;
}

/// The linear call with the affine function taken into its constants; none where they do not allow
/// it. The builder then holds calls that are not used.
std::optional<TensorId> absorbed(const Terms &terms, Builder &b, NodeId linear,
                                 const Affine &affine)
{
    Node node = terms.node(linear);
    const Call call = terms.call(node);
    const auto description = describe(call);
    if (!description || node.inputs.size() < 2 || !node.inputs[1].valid())
        return std::nullopt;
    if (affine.scale.valid()) {
        const auto scaled = scaledWith(*description, 1, affine.along);
        if (!scaled)
            return std::nullopt;
        for (const ParameterDimension &part : *scaled) {
            TensorId &input = node.inputs[std::size_t(part.input)];
            if (!isOwn(terms, input))
                return std::nullopt;
            input = b.call("Mul", {input, placed(b, affine.scale, part.dimension,
                                                 b.tensor(input).shape->size())});
        }
    }
    if (affine.shift.valid()) {
        if (affine.along == whole)
            return std::nullopt; // a bias is a list
        const TensorId shift = placed(b, affine.shift, 0, 1);
        if (node.inputs.size() > 2 && node.inputs[2].valid()) {
            if (!isOwn(terms, terms.node(linear).inputs[2]) ||
                addedAlong(*description, 2, affine.along) != 0)
                return std::nullopt;
            node.inputs[2] = b.call("Add", {node.inputs[2], shift});
        } else if (const auto biased = withBias(terms, b, node, affine.along, shift)) {
            node = *biased;
        } else {
            return std::nullopt;
        }
    }
    return b.again(node, node.inputs)[0];
}

using MakeAffine = std::function<std::optional<Affine>(const Match &, Builder &)>;

/// The root is an affine function of "y", which a linear call gives.
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

/// Of one constant "c", as scale or shift.
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

/// MatMul has no bias: as a Gemm it has one, where its operands are matrices.
Rule productWithBias()
{
    return {.name = "bias-of-matrix-product",
            .category = Rule::Category::Cleanup,
            .formula = "MatMul(x, w) + c = Gemm(x, w, c)",
            .domain = "matrices",
            .flops = "f + n -> f + n, one call less",
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
    };
}

} // namespace graphloom::dnnfusion
