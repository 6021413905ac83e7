// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

/// Operators that ONNX Runtime's optimizer writes into models, in their documented form
/// (ContribOperators.md): fused activations, products and normalizations.
namespace graphloom::entries {

namespace {

constexpr std::string_view microsoftDomain = "com.microsoft";

Expr logistic(const Expr &x)
{
    return Expr::real(1, x.type()) / (Expr::unary(Fn::Exp, -x) + 1.0);
}
Expr geluOf(const Expr &x)
{
    return x * 0.5 * (Expr::unary(Fn::Erf, x * std::sqrt(0.5)) + 1.0);
}
Expr fastGeluOf(const Expr &x)
{
    return x * 0.5 *
           (Expr::unary(Fn::Tanh, (x + x * x * x * 0.044715) * std::sqrt(2 / M_PI)) + 1.0);
}

Result<Description> contribGelu(const Call &call)
{
    return build::elementwise(call, 1, call.type(0),
                              [](std::vector<Expr> x) { return geluOf(x[0]); });
}

Result<Description> quickGelu(const Call &call)
{
    const double alpha = call.attributes().real("alpha", 1.702f);
    return build::elementwise(call, 1, call.type(0),
                              [&](std::vector<Expr> x) { return x[0] * logistic(x[0] * alpha); });
}

/// Applies an activation to the input plus the bias along its last dimension, if there is one.
template <auto function> Result<Description> biasedActivation(const Call &call)
{
    if (!call.has(1))
        return build::elementwise(call, 1, call.type(0),
                                  [](std::vector<Expr> x) { return function(x[0]); });
    if (call.rank(1) != 1 || call.rank(0) < 1 || contradict(call.shape(1)[0], call.shape(0).back()))
        return call.refuse("its bias of shape " + text(call.shape(1)) +
                           " does not match its input of shape " + text(call.shape(0)));
    return build::elementwise(call, 2, call.type(0),
                              [](std::vector<Expr> x) { return function(x[0] + x[1]); });
}

// ---------------------------------------------------------------------------------------------

/// The activation that attribute "activation" names, with its parameters.
Result<std::function<Expr(const Expr &)>> activationOf(const Call &call)
{
    const std::string name = call.attributes().text("activation", "");
    auto parameters = call.attributes().reals("activation_params");
    const auto wanted = [&](std::size_t count) { return parameters.size() == count; };
    using Function = std::function<Expr(const Expr &)>;
    const auto zero = [](const Expr &x) { return Expr::real(0, x.type()); };
    if (name.empty())
        return Function([](const Expr &x) { return x; });
    if (name == "Relu" && wanted(0))
        return Function([](const Expr &x) { return Expr::binary(Fn::Max, x, 0.0); });
    if (name == "Tanh" && wanted(0))
        return Function([](const Expr &x) { return Expr::unary(Fn::Tanh, x); });
    if (name == "Sigmoid" && wanted(0))
        return Function(logistic);
    if (name == "LeakyRelu" && wanted(1))
        return Function([=](const Expr &x) {
            return Expr::select(Expr::binary(Fn::Less, x, zero(x)), x * double(parameters[0]), x);
        });
    if (name == "Clip" && wanted(2))
        return Function([=](const Expr &x) {
            return Expr::binary(Fn::Min, Expr::binary(Fn::Max, x, double(parameters[0])),
                                double(parameters[1]));
        });
    if (name == "HardSigmoid" && wanted(2))
        return Function([=](const Expr &x) {
            const Expr line = x * double(parameters[0]) + double(parameters[1]);
            return Expr::binary(Fn::Max, Expr::binary(Fn::Min, line, 1.0), 0.0);
        });
    return call.refuse("unknown activation \"" + name + "\" with " +
                       std::to_string(parameters.size()) + " parameters");
}

/// Returns the derivatives of those activations in terms of their results.
Expr activationSlope(const Expr &y, const Attributes &attributes)
{
    const std::string name = attributes.text("activation", "");
    const auto parameters = attributes.reals("activation_params");
    const Expr one = Expr::real(1, y.type()), zero = Expr::real(0, y.type());
    const auto between = [&](double least, double most, const Expr &slope) {
        return Expr::select(Expr::binary(Fn::And,
                                         Expr::binary(Fn::Less, Expr::real(least, y.type()), y),
                                         Expr::binary(Fn::Less, y, Expr::real(most, y.type()))),
                            slope, zero);
    };
    if (name == "Relu")
        return Expr::select(Expr::binary(Fn::Less, zero, y), one, zero);
    if (name == "Tanh")
        return one - y * y;
    if (name == "Sigmoid")
        return y * (one - y);
    if (name == "LeakyRelu" && parameters.size() == 1 && parameters[0] > 0)
        return Expr::select(Expr::binary(Fn::Less, y, zero), Expr::real(parameters[0], y.type()),
                            one);
    if (name == "Clip" && parameters.size() == 2)
        return between(parameters[0], parameters[1], one);
    if (name == "HardSigmoid" && parameters.size() == 2)
        return between(0, 1, Expr::real(parameters[0], y.type()));
    return {};
}

/// activation(convolution + bias + addend).
Result<Description> fusedConv(const Call &call)
{
    std::vector<const Tensor *> inputs{&call.input(0), &call.input(1)};
    if (call.has(2))
        inputs.push_back(&call.input(2));
    GL_TRY_RESULT(description,
                  findOperator("", "Conv", 1)->describe(Call(call.node(), std::move(inputs), 1)));
    GL_TRY_CONST(activation, activationOf(call));
    Stage &stage = description->stages.front();
    Expr sum = stage.finish.empty() ? Expr::accumulator(call.type(0)) : stage.finish;
    if (call.has(3)) {
        // The addend has the output's shape; grouped convolutions index a channel by two axes.
        bool fits = call.rank(3) == call.rank(0) &&
                    !contradict(call.shape(3)[0], call.shape(0)[0]) &&
                    !contradict(call.shape(3)[1], call.shape(1)[0]);
        for (std::size_t d = 2; fits && d < call.rank(0); ++d)
            fits = !contradict(call.shape(3)[d],
                               stage.axes[std::size_t(stage.write[d].terms[0].axis)].extent);
        if (!fits)
            return call.refuse("its addend of shape " + text(call.shape(3)) +
                               " does not match the output's shape");
        sum = sum + Expr::load(int(stage.reads.size()), call.type(3));
        stage.reads.push_back(build::readInput(3, stage.write));
    }
    const Expr result = (*activation)(sum);
    if (result->fn != Fn::Accumulator)
        stage.finish = result;
    return description;
}

/// alpha * product of matrices that may be transposed: the last two dimensions are swapped, or the
/// first dimension is moved after the batch dimensions.
Result<Description> fusedMatMul(const Call &call)
{
    Tensor operands[2];
    std::vector<std::size_t> order[2]; // of the dimensions of an operand, as the product sees them
    for (const int k : {0, 1}) {
        const auto input = std::size_t(k);
        const Shape &shape = call.shape(input);
        order[k].resize(shape.size());
        std::iota(order[k].begin(), order[k].end(), std::size_t(0));
        const auto flag = [&](const char *ofA, const char *ofB) {
            return call.attributes().integer(k == 0 ? ofA : ofB, 0) != 0;
        };
        if (shape.size() > 1 && flag("transBatchA", "transBatchB"))
            std::rotate(order[k].begin(), order[k].begin() + 1, order[k].end() - 1);
        if (shape.size() > 1 && flag("transA", "transB"))
            std::swap(order[k][shape.size() - 1], order[k][shape.size() - 2]);
        operands[k] = call.input(input);
        for (std::size_t d = 0; d < shape.size(); ++d)
            (*operands[k].shape)[d] = shape[order[k][d]];
    }
    GL_TRY_RESULT(description, findOperator("", "MatMul", 1)
                                   ->describe(Call(call.node(), {&operands[0], &operands[1]}, 1)));
    Stage &stage = description->stages.front();
    for (const int k : {0, 1}) {
        const IndexMap seen = stage.reads[std::size_t(k)].map;
        for (std::size_t d = 0; d < seen.size(); ++d)
            stage.reads[std::size_t(k)].map[order[k][d]] = seen[d];
    }
    if (const double alpha = call.attributes().real("alpha", 1); alpha != 1)
        stage.finish = Expr::accumulator(call.type(0)) * alpha;
    return description;
}

// ---------------------------------------------------------------------------------------------

/// Input numbers of a normalization of input + skip + bias; without a shift, the bias has its
/// place.
struct SkipInputs {
    std::size_t scale, shift, bias;
};

Result<void> checkSkip(const Call &call, const SkipInputs &inputs)
{
    const Shape &x = call.shape(0);
    bool fits = !x.empty() && call.rank(1) <= x.size();
    if (fits) {
        const auto sum = build::broadcastShape(call, {&x, &call.shape(1)});
        fits = sum.has_value();
        for (std::size_t d = 0; fits && d < x.size(); ++d)
            fits = !contradict((*sum)[d], x[d]);
    }
    if (!fits)
        return call.refuse("its inputs of shapes " + text(x) + " and " + text(call.shape(1)) +
                           " do not match");
    for (const std::size_t p : {inputs.scale, inputs.shift, inputs.bias})
        if (call.has(p) && (call.rank(p) != 1 || contradict(call.shape(p)[0], x.back())))
            return call.refuse("its parameter of shape " + text(call.shape(p)) +
                               " does not match its input of shape " + text(x));
    return {};
}

/// Adds the sum of input, skip and bias as a value, or as the output that it is, and normalizes it.
void normalizeSum(build::Statistics &steps, const Call &call, std::size_t bias)
{
    const Shape &x = call.shape(0);
    const DataType type = call.type(0);
    Stage add;
    add.name = "sum";
    add.axes = build::spaceAxes(x);
    add.write = build::identityMap(x.size());
    add.value = int(steps.description().values.size());
    steps.addOutput(call.outputCount() > 3 ? type : steps.type());
    add.reads = {build::readInput(0, add.write),
                 build::readInput(1, build::broadcastMap(call.shape(1), x))};
    add.body = Expr::cast(Expr::load(0, type), steps.type()) +
               Expr::cast(Expr::load(1, call.type(1)), steps.type());
    if (call.has(bias)) {
        add.body = add.body + Expr::cast(Expr::load(2, call.type(bias)), steps.type());
        add.reads.push_back(build::readInput(int(bias), {Index::axis(int(x.size()) - 1)}));
    }
    steps.replaceElements(std::move(add));
}

/// Writes a reduced value of each row to an output; `result` is an expression of it.
Stage rowOutput(const Shape &x, int output, std::string name, int value, const Expr &result)
{
    Stage copy;
    copy.name = std::move(name);
    Shape kept = x;
    kept.back() = 1;
    copy.axes = build::spaceAxes(kept);
    copy.write = build::identityMap(x.size());
    copy.value = output;
    if (result->fn != Fn::Real) // a constant needs no read
        copy.reads = {build::readValue(value, build::identityMap(x.size() - 1))};
    copy.body = result;
    return copy;
}

/// Normalizes input + skip + bias along the last dimension. Inputs from `scale` on: scale, shift
/// (unless only the mean of squares is used), bias. Outputs: the result, the mean, the inverse
/// deviation, the sum.
template <bool meanOfSquares> Result<Description> skipNormalization(const Call &call)
{
    const Shape &x = call.shape(0);
    constexpr SkipInputs inputs{2, 3, meanOfSquares ? 3 : 4};
    GL_TRY(checkSkip(call, inputs));
    auto steps = build::Statistics::along(call, {int(x.size()) - 1});
    const std::size_t outputs = call.outputCount();
    for (std::size_t output = 1; output < std::min<std::size_t>(outputs, 3); ++output)
        steps.addOutput(steps.type());
    normalizeSum(steps, call, inputs.bias);

    const double epsilon = call.attributes().real("epsilon", 1e-12f);
    std::vector<int> gathered; // values: mean (unless of squares), variance or mean of squares
    if (meanOfSquares) {
        const Expr count = steps.count();
        gathered.push_back(steps.gather(
            "mean of squares", Combine::Sum, 0, [](const Expr &v, const auto &) { return v * v; },
            [&](const Expr &total) { return total / count; }));
    } else {
        gathered.push_back(int(steps.description().values.size()));
        gathered.push_back(gathered[0] + 1);
        steps.gatherMoments();
    }
    const DataType stash = steps.type();
    const IndexMap last{Index::axis(int(x.size()) - 1)};
    std::vector<std::pair<int, IndexMap>> parameters{{int(inputs.scale), last}};
    const bool shifts = !meanOfSquares && call.has(inputs.shift);
    if (shifts)
        parameters.push_back({int(inputs.shift), last});
    Description description =
        steps.finish("scale", parameters, [&](const Expr &v, const auto &moments, const auto &p) {
            const Expr centered = meanOfSquares ? v : v - moments[0];
            const Expr scaled = centered / squareRoot(moments.back() + epsilon) * p[0];
            return shifts ? scaled + p[1] : scaled;
        });
    const Expr moment = Expr::load(0, stash);
    if (outputs > 1) // the mean of squares needs no mean
        description.stages.push_back(rowOutput(x, 1, "mean output", gathered.front(),
                                               meanOfSquares ? Expr::real(0, stash) : moment));
    if (outputs > 2)
        description.stages.push_back(
            rowOutput(x, 2, "inverse deviation output", gathered.back(),
                      Expr::real(1, stash) / squareRoot(moment + epsilon)));
    return description;
}

/// Layer normalization as in ai.onnx since version 17.
Result<Description> layerNormalizationOfMicrosoft(const Call &call)
{
    return findOperator("", "LayerNormalization", 17)->describe(call);
}

/// RMS normalization under the name that ONNX Runtime's optimizer uses before ai.onnx 23.
Result<Description> rootMeanSquareNormalization(const Call &call)
{
    return findOperator("", "RMSNormalization", 23)->describe(call);
}

constexpr std::array microsoftEntries{
    Operator{"", "SimplifiedLayerNormalization", 1, 2, 2, 1, rootMeanSquareNormalization}.like(
        "[2,6,8] w[8]"),
    Operator{microsoftDomain, "BiasGelu", 1, 2, 2, 1, biasedActivation<geluOf>}.like(
        "[2,6,8] w[8]"),
    Operator{microsoftDomain, "FastGelu", 1, 1, 2, 1, biasedActivation<fastGeluOf>}.like(
        "[2,6,8] w[8]"),
    Operator{microsoftDomain, "FusedConv", 1, 2, 4, 1, fusedConv}
        .like("[2,8,6,6] w[4,8,3,3] w[4] activation=Relu pads=1,1,1,1")
        .withSlope(activationSlope),
    Operator{microsoftDomain, "FusedMatMul", 1, 2, 2, 1, fusedMatMul}.like(
        "[2,6,8] [2,4,8] transB=1 alpha=0.5"),
    Operator{microsoftDomain, "Gelu", 1, 1, 1, 1, contribGelu},
    Operator{microsoftDomain, "LayerNormalization", 1, 2, 3, 3, layerNormalizationOfMicrosoft}
        .like("[2,8,32] w[32] w[32]")
        .trainedBy(trainLayerNormalization),
    Operator{microsoftDomain, "QuickGelu", 1, 1, 1, 1, quickGelu},
    Operator{microsoftDomain, "SkipLayerNormalization", 1, 3, 5, 4, skipNormalization<false>}.like(
        "[2,6,8] [2,6,8] w[8] w[8]"),
    Operator{microsoftDomain, "SkipSimplifiedLayerNormalization", 1, 3, 4, 4,
             skipNormalization<true>}
        .like("[2,6,8] [2,6,8] w[8]"),
};

} // namespace

std::span<const Operator> microsoft()
{
    return microsoftEntries;
}

} // namespace graphloom::entries
