// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom::entries {

namespace {

/// Rounds (halves to even), adds the zero point and saturates to the range of the integer type.
Expr saturated(const Expr &quotient, const Expr &zeroPoint, DataType type)
{
    const int bits = bitsOf(type);
    const double least = isSignedInteger(type) ? -std::ldexp(1, bits - 1) : 0;
    const double most = std::ldexp(1, isSignedInteger(type) ? bits - 1 : bits) - 1;
    Expr whole = wide(Expr::unary(Fn::Round, quotient));
    if (!zeroPoint.empty())
        whole = whole + wide(zeroPoint);
    return Expr::cast(Expr::binary(Fn::Min, Expr::binary(Fn::Max, whole, least), most), type);
}

/// Returns where a scale or zero point is read for an element of input 0: there is one for the
/// tensor, one for each position along the axis, or one for each block of positions along it.
Result<IndexMap> parameterMap(const Call &call, std::size_t parameter)
{
    const Shape &x = call.shape(0), &p = call.shape(parameter);
    if (elementsOf(p) == Dim(1) && p.size() <= 1)
        return IndexMap(p.size(), Index::constant(0));
    GL_TRY_CONST(axis, build::normalizedAxis(call, call.attributes().integer("axis", 1), x.size()));
    const auto d = std::size_t(*axis);
    const std::int64_t block = call.attributes().integer("block_size", 0);
    bool fits = block >= 0 && (block > 0 ? p.size() == x.size() : p.size() == 1);
    IndexMap map;
    if (block == 0) {
        fits = fits && !contradict(p[0], x[d]);
        map = {Index::axis(*axis)};
    } else if (fits) {
        for (std::size_t i = 0; i < x.size(); ++i)
            fits = fits && !contradict(p[i], i == d ? Dim::ceilDiv(x[i], block) : x[i]);
        map = build::identityMap(x.size());
        map[d].divide = block;
    }
    if (!fits)
        return call.refuse("its scale or zero point of shape " + text(p) +
                           " does not match its input of shape " + text(x));
    return map;
}

/// Returns a stage over the elements of input 0 that reads it, its scale and, if there is one, its
/// zero point: reads 0, 1 and 2.
Result<Stage> scaledStage(const Call &call)
{
    Stage stage;
    stage.axes = build::spaceAxes(call.shape(0));
    stage.write = build::identityMap(call.rank(0));
    stage.reads = {build::readInput(0, build::identityMap(call.rank(0)))};
    for (const std::size_t parameter : {1, 2}) {
        if (!call.has(parameter))
            continue;
        GL_TRY_RESULT(map, parameterMap(call, parameter));
        stage.reads.push_back(build::readInput(int(parameter), std::move(*map)));
    }
    return stage;
}

Result<Description> quantizeLinear(const Call &call)
{
    GL_TRY_RESULT(stage, scaledStage(call));
    const auto stated = dataTypeFromOnnx(int(call.attributes().integer("output_dtype", 0)));
    DataType type = stated && *stated != DataType::Undefined ? *stated : DataType::Uint8;
    if (call.has(2)) {
        if (stated && *stated != DataType::Undefined && *stated != call.type(2))
            return call.refuse("its zero point is " + std::string(nameOf(call.type(2))) +
                               ", but its output is " + std::string(nameOf(*stated)));
        type = call.type(2);
    }
    if (!(isIntegral(type) && bitsOf(type) <= 16) && !(isFloatingPoint(type) && bitsOf(type) <= 8))
        return call.refuse("cannot quantize to " + std::string(nameOf(type)));
    // The quotient is rounded in the model's own type, because that decides ties.
    const DataType real = isFloatingPoint(call.type(0)) ? call.type(0) : DataType::Float;
    const Expr quotient =
        Expr::cast(wide(Expr::load(0, call.type(0))) / wide(Expr::load(1, call.type(1))), real);
    const bool saturates = call.attributes().integer("saturate", 1) != 0;
    stage->body = isFloatingPoint(type)
                      ? build::castTo(quotient, type, saturates)
                      : saturated(quotient, call.has(2) ? Expr::load(2, type) : Expr(), type);
    return build::single(type, std::move(*stage));
}

Result<Description> dequantizeLinear(const Call &call)
{
    GL_TRY_RESULT(stage, scaledStage(call));
    const DataType from = call.type(0), real = call.type(1);
    if (!isFloatingPoint(real) || (call.has(2) && call.type(2) != from))
        return call.refuse("the types of its input, scale and zero point do not match");
    const DataType exact = isFloatingPoint(from) ? real : DataType::Int32;
    Expr difference = Expr::cast(Expr::load(0, from), exact);
    if (call.has(2) && !isFloatingPoint(from)) // 8-bit reals have the zero point 0
        difference = difference - Expr::cast(Expr::load(2, from), exact);
    stage->body = Expr::cast(difference, real) * Expr::load(1, real);
    return build::single(real, std::move(*stage));
}

/// Quantizes to 8 bits with the smallest scale that covers the values and 0. If all values are 0,
/// the scale is 1, as in ONNX Runtime: ONNX's formula would divide by 0.
Result<Description> dynamicQuantizeLinear(const Call &call)
{
    const DataType real = call.type(0), byte = DataType::Uint8;
    if (real != DataType::Float)
        return call.refuse("its input must be float, not " + std::string(nameOf(real)));
    enum { y, scale, zeroPoint, most, least };
    Description description;
    for (const DataType type : {byte, real, byte, real, real})
        description.values.push_back({type, std::nullopt, {}});
    const IndexMap here = build::identityMap(call.rank(0));
    for (const bool highest : {true, false}) {
        Stage stage;
        stage.name = highest ? "most" : "least";
        stage.axes = build::spaceAxes(call.shape(0));
        for (Axis &axis : stage.axes)
            axis.kind = Axis::Kind::Reduce;
        stage.reads = {build::readInput(0, here)};
        stage.value = highest ? most : least;
        stage.combine = highest ? Combine::Max : Combine::Min; // starting with 0
        stage.body = Expr::load(0, real);
        description.stages.push_back(std::move(stage));
    }
    Stage step;
    step.name = "scale";
    step.reads = {build::readValue(most, {}), build::readValue(least, {})};
    step.value = scale;
    const Expr top = Expr::load(0, real), bottom = Expr::load(1, real);
    step.body = Expr::select(Expr::binary(Fn::Equal, top, bottom), Expr::real(1, real),
                             (top - bottom) / 255.0);
    description.stages.push_back(std::move(step));

    Stage zero;
    zero.name = "zero point";
    zero.reads = {build::readValue(least, {}), build::readValue(scale, {})};
    zero.value = zeroPoint;
    zero.body = saturated(Expr::cast(-Expr::load(0, real) / Expr::load(1, real), real), {}, byte);
    description.stages.push_back(std::move(zero));

    Stage quantize;
    quantize.name = "quantize";
    quantize.axes = build::spaceAxes(call.shape(0));
    quantize.reads = {build::readInput(0, here), build::readValue(scale, {}),
                      build::readValue(zeroPoint, {})};
    quantize.value = y;
    quantize.write = here;
    quantize.body = saturated(Expr::cast(Expr::load(0, real) / Expr::load(1, real), real),
                              Expr::load(2, byte), byte);
    description.stages.push_back(std::move(quantize));
    return description;
}

// ---------------------------------------------------------------------------------------------

/// The positions of the inputs of a quantized contraction by role; -1 if there is no such input.
struct Roles {
    int feature, featureScale, featureZero;
    int weight, weightScale, weightZero;
    int outputScale, outputZero, bias;
};
constexpr Roles convIntegerRoles{0, -1, 2, 1, -1, 3, -1, -1, -1};
constexpr Roles linearConvRoles{0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr Roles matMulIntegerRoles{0, -1, 2, 1, -1, 3, -1, -1, -1};
constexpr Roles linearMatMulRoles{0, 1, 2, 3, 4, 5, 6, 7, -1};

/// Returns the stage of the floating-point contraction that the operator quantizes.
Result<Stage> contraction(const Call &call, std::string_view op, const Roles &roles)
{
    std::vector<int> numbers{roles.feature, roles.weight};
    if (roles.bias >= 0 && call.has(std::size_t(roles.bias)))
        numbers.push_back(roles.bias);
    std::vector<const Tensor *> inputs;
    for (const int number : numbers)
        inputs.push_back(&call.input(std::size_t(number)));
    const Operator *real = findOperator("", op, call.opset());
    GL_TRY_RESULT(description, real->describe(Call(call.node(), std::move(inputs), call.opset())));
    Stage stage = std::move(description->stages.front());
    for (Read &read : stage.reads)
        read.operand.index = numbers[std::size_t(read.operand.index)];
    return stage;
}

/// Returns where a scale or zero point is read for an element of the output. It may have one value
/// for each position along one dimension; `channel` is the stage's index along that dimension.
Result<IndexMap> channelMap(const Call &call, std::size_t parameter, const Index &channel,
                            const Dim &channels)
{
    const Shape &p = call.shape(parameter);
    if (elementsOf(p) == Dim(1) && p.size() <= 1)
        return IndexMap(p.size(), Index::constant(0));
    if (p.size() != 1 || contradict(p[0], channels))
        return call.refuse("its scale or zero point of shape " + text(p) +
                           " must be a single number or one number for each of " + channels.text() +
                           " channels");
    return IndexMap{channel};
}

/// Maps the number of an input to where that parameter is read, checked against the shapes.
using ParameterMap = std::function<Result<IndexMap>(std::size_t parameter, bool ofFeature)>;

/// Turns a floating-point contraction into an integer one: zero points are subtracted, products
/// are accumulated as int32, and the sum is scaled and rounded if there are scales.
Result<Description> quantized(const Call &call, Stage stage, const Roles &roles,
                              const ParameterMap &mapOf)
{
    const auto addRead = [&](int input, bool ofFeature) -> Result<int> {
        GL_TRY_RESULT(map, mapOf(std::size_t(input), ofFeature));
        stage.reads.push_back(build::readInput(input, std::move(*map)));
        return int(stage.reads.size()) - 1;
    };
    Expr operands[2];
    for (const bool ofFeature : {true, false}) {
        const int input = ofFeature ? roles.feature : roles.weight,
                  zero = ofFeature ? roles.featureZero : roles.weightZero;
        const int read = ofFeature ? 0 : 1;
        const DataType type = call.type(std::size_t(input));
        if (!isIntegral(type) || bitsOf(type) != 8)
            return call.refuse("its operands must be 8-bit integers, not " +
                               std::string(nameOf(type)));
        Expr value = Expr::cast(Expr::load(read, type), DataType::Int32);
        if (zero >= 0 && call.has(std::size_t(zero))) {
            if (call.type(std::size_t(zero)) != type)
                return call.refuse("the type of a zero point differs from that of its tensor");
            GL_TRY_CONST(at, addRead(zero, ofFeature));
            value = value - Expr::cast(Expr::load(*at, type), DataType::Int32);
            // Padding has the value of the zero point, so it is 0 after the subtraction.
            if (stage.reads[std::size_t(read)].outside != Read::Outside::Never)
                value = Expr::select(Expr::inside(read), value, Expr::integer(0, DataType::Int32));
        }
        operands[ofFeature ? 0 : 1] = std::move(value);
    }
    stage.body = operands[0] * operands[1];
    stage.finish = Expr();
    if (roles.outputScale < 0)
        return build::single(DataType::Int32, std::move(stage));

    Expr sum = Expr::accumulator(DataType::Int32);
    if (roles.bias >= 0 && call.has(std::size_t(roles.bias)))
        sum = sum + Expr::load(2, DataType::Int32);
    Expr factor;
    for (const auto &[input, ofFeature] :
         {std::pair(roles.featureScale, true), std::pair(roles.weightScale, false)}) {
        GL_TRY_CONST(at, addRead(input, ofFeature));
        const Expr scale = wide(Expr::load(*at, call.type(std::size_t(input))));
        factor = factor.empty() ? scale : factor * scale;
    }
    int outputReads[2];
    for (const int k : {0, 1}) {
        const auto input = std::size_t(k == 0 ? roles.outputScale : roles.outputZero);
        if (!(elementsOf(call.shape(input)).constant().value_or(1) == 1))
            return call.refuse("its output's scale and zero point must be single numbers");
        outputReads[k] = int(stage.reads.size());
        stage.reads.push_back(
            build::readInput(int(input), IndexMap(call.rank(input), Index::constant(0))));
    }
    const auto outputScale = std::size_t(roles.outputScale),
               outputZero = std::size_t(roles.outputZero);
    const DataType type = call.type(outputZero);
    if (!isIntegral(type) || bitsOf(type) != 8)
        return call.refuse("its output must be 8-bit integers, not " + std::string(nameOf(type)));
    factor = factor / wide(Expr::load(outputReads[0], call.type(outputScale)));
    stage.finish = saturated(wide(sum) * factor, Expr::load(outputReads[1], type), type);
    return build::single(type, std::move(stage));
}

template <const Roles &roles> Result<Description> convolution(const Call &call)
{
    GL_TRY_RESULT(stage, contraction(call, "Conv", roles));
    const Index channel = stage->write[1];
    const Dim &channels = call.shape(std::size_t(roles.weight))[0];
    return quantized(call, std::move(*stage), roles,
                     [&](std::size_t parameter, bool ofFeature) -> Result<IndexMap> {
                         return ofFeature ? channelMap(call, parameter, Index::constant(0), 1)
                                          : channelMap(call, parameter, channel, channels);
                     });
}

/// The first matrix may have scales and zero points for each row, the second one for each column,
/// as one dimension or broadcast.
template <const Roles &roles> Result<Description> matrixProduct(const Call &call)
{
    GL_TRY_RESULT(stage, contraction(call, "MatMul", roles));
    const Shape &a = call.shape(std::size_t(roles.feature)),
                &b = call.shape(std::size_t(roles.weight));
    const IndexMap write = stage->write; // batch, row and column; vectors lack row or column
    Shape result;
    for (const Index &index : write)
        result.push_back(stage->axes[std::size_t(index.terms[0].axis)].extent);
    return quantized(
        call, std::move(*stage), roles,
        [&](std::size_t parameter, bool ofFeature) -> Result<IndexMap> {
            const Shape &p = call.shape(parameter);
            const bool rows = ofFeature && a.size() > 1, columns = !ofFeature && b.size() > 1;
            const std::size_t dimension =
                result.size() - 1 - std::size_t(rows && b.size() > 1 ? 1 : 0);
            if (p.size() <= 1 && (rows || columns))
                return channelMap(call, parameter, write[dimension], result[dimension]);
            bool fits = p.size() <= result.size();
            for (std::size_t d = 0; fits && d < p.size(); ++d)
                fits = p[d] == Dim(1) || !contradict(p[d], result[result.size() - p.size() + d]);
            if (!fits)
                return call.refuse("its scale or zero point of shape " + text(p) +
                                   " does not match its result of shape " + text(result));
            return build::broadcastMap(p, result);
        });
}

constexpr std::array quantizationEntries{
    Operator{"", "ConvInteger", 10, 2, 4, 1, convolution<convIntegerRoles>}.like(
        "uint8[2,8,6,6] uint8[4,8,3,3] pads=1,1,1,1"),
    Operator{"", "DequantizeLinear", 10, 2, 3, 1, dequantizeLinear}.like(
        "uint8[2,8,6,6] w[8] uint8[8] axis=1"),
    Operator{"", "DynamicQuantizeLinear", 11, 1, 1, 3, dynamicQuantizeLinear}.like("[2,8] ->3"),
    Operator{"", "MatMulInteger", 10, 2, 4, 1, matrixProduct<matMulIntegerRoles>}.like(
        "uint8[8,6] uint8[6,4]"),
    Operator{"", "QLinearConv", 10, 8, 9, 1, convolution<linearConvRoles>}.like(
        "uint8[2,8,6,6] w[] uint8[] uint8[4,8,3,3] w[4] uint8[4] w[] uint8[] pads=1,1,1,1"),
    Operator{"", "QLinearMatMul", 10, 8, 8, 1, matrixProduct<linearMatMulRoles>}.like(
        "uint8[8,6] w[] uint8[] uint8[6,4] w[] uint8[] w[] uint8[]"),
    Operator{"", "QuantizeLinear", 10, 2, 3, 1, quantizeLinear}.like(
        "[2,8,6,6] w[8] uint8[8] axis=1"),
};

} // namespace

std::span<const Operator> quantization()
{
    return quantizationEntries;
}

} // namespace graphloom::entries
