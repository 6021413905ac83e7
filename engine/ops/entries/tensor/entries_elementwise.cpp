// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/gradient/adjoint_builder.h"
#include "engine/ops/kernels/kernels.h"

#include <array>
#include <cmath>
#include <limits>

namespace graphloom::entries {

namespace {

/// log(1 + exp(x)), written so that large x do not overflow.
Expr softplus(const Expr &x)
{
    return max(x, 0.0) +
           Expr::unary(Fn::Log, exp(-Expr::unary(Fn::Abs, x)) + Expr::real(1, x.type()));
}
Expr hardSigmoid(const Expr &x, double alpha, double beta)
{
    return max(min(x * alpha + beta, 1.0), 0.0);
}

/// An operator of one input: y = body(x, attributes), of the type of x.
template <auto body> Result<Description> unary(const Call &call)
{
    return build::elementwise(call, 1, call.type(0),
                              [&](std::vector<Expr> x) { return body(x[0], call.attributes()); });
}

template <Fn fn> Expr apply(const Expr &x, const Attributes &)
{
    return Expr::unary(fn, x);
}

template <Fn fn> Result<Description> predicate(const Call &call)
{
    return build::elementwise(call, 1, DataType::Bool,
                              [](std::vector<Expr> x) { return Expr::unary(fn, x[0]); });
}

/// An operator of two broadcast inputs of one type.
template <Fn fn> Result<Description> binary(const Call &call)
{
    return build::elementwise(call, 2, call.type(0),
                              [](std::vector<Expr> x) { return Expr::binary(fn, x[0], x[1]); });
}

template <Fn fn, bool swapped = false> Result<Description> comparison(const Call &call)
{
    return build::elementwise(call, 2, DataType::Bool, [](std::vector<Expr> x) {
        return swapped ? Expr::binary(fn, x[1], x[0]) : Expr::binary(fn, x[0], x[1]);
    });
}

/// An operator of any number of broadcast inputs, folded from the left.
template <Fn fn, bool mean = false> Result<Description> variadic(const Call &call)
{
    return build::elementwise(call, call.inputCount(), call.type(0), [&](std::vector<Expr> x) {
        Expr result = x[0];
        for (std::size_t i = 1; i < x.size(); ++i)
            result = Expr::binary(fn, result, x[i]);
        return mean ? result / double(x.size()) : result;
    });
}

Result<Description> power(const Call &call)
{
    return build::elementwise(call, 2, call.type(0), [&](std::vector<Expr> x) {
        // Mixed types are computed in the wider kind; the result has the base's type.
        if (isFloatingPoint(call.type(0)) == isFloatingPoint(call.type(1)))
            return Expr::binary(Fn::Pow, x[0], x[1]);
        return Expr::cast(Expr::binary(Fn::Pow, Expr::cast(x[0], DataType::Double),
                                       Expr::cast(x[1], DataType::Double)),
                          call.type(0));
    });
}

Result<Description> modulo(const Call &call)
{
    const bool truncated = call.attributes().integer("fmod", 0) != 0;
    if (!truncated && isFloatingPoint(call.type(0)))
        return call.refuse("needs fmod=1 for floating-point inputs");
    return build::elementwise(call, 2, call.type(0), [&](std::vector<Expr> x) {
        return Expr::binary(truncated ? Fn::Fmod : Fn::Mod, x[0], x[1]);
    });
}

Result<Description> bitShift(const Call &call)
{
    const std::string direction = call.attributes().text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        return call.refuse("direction must be LEFT or RIGHT, not \"" + direction + "\"");
    return build::elementwise(call, 2, call.type(0), [&](std::vector<Expr> x) {
        return Expr::binary(direction == "LEFT" ? Fn::ShiftLeft : Fn::ShiftRight, x[0], x[1]);
    });
}

Result<Description> where(const Call &call)
{
    return build::elementwise(call, 3, call.type(1),
                              [](std::vector<Expr> x) { return Expr::select(x[0], x[1], x[2]); });
}

/// The slope broadcasts to x, never the other way round.
Result<Description> prelu(const Call &call)
{
    return build::elementwise(call, 2, call.type(0), [](std::vector<Expr> x) {
        return Expr::select(less(x[0], 0.0), x[0] * x[1], x[0]);
    });
}

Result<Description> clip(const Call &call)
{
    Stage stage;
    stage.axes = build::spaceAxes(call.shape(0));
    stage.write = build::identityMap(call.rank(0));
    stage.reads.push_back(build::readInput(0, build::identityMap(call.rank(0))));
    stage.body = Expr::load(0, call.type(0));
    for (const std::size_t bound : {1, 2}) {
        if (!call.has(bound))
            continue;
        if (call.rank(bound) != 0 && !(elementsOf(call.shape(bound)) == Dim(1)))
            return call.refuse("its bounds must be scalars");
        const int read = int(stage.reads.size());
        stage.reads.push_back(
            build::readInput(int(bound), IndexMap(call.rank(bound), Index::constant(0))));
        stage.body = Expr::binary(bound == 1 ? Fn::Max : Fn::Min, stage.body,
                                  Expr::load(read, call.type(0)));
    }
    return build::single(call.type(0), std::move(stage));
}

Result<Description> castTo(const Call &call, DataType to)
{
    if ((to == DataType::String) != (call.type(0) == DataType::String))
        return build::opaque("stage bodies cannot convert between numbers and text",
                             {{to, call.shape(0), {}}});
    const auto isNumber = [](DataType type) { return isFloatingPoint(type) || isIntegral(type); };
    if (to != call.type(0) && !(isNumber(to) && isNumber(call.type(0))))
        return call.refuse("cannot cast " + std::string(nameOf(call.type(0))) + " to " +
                           std::string(nameOf(to)));
    const bool saturates = call.attributes().integer("saturate", 1) != 0;
    return build::elementwise(
        call, 1, to, [&](std::vector<Expr> x) { return build::castTo(x[0], to, saturates); });
}

Result<Description> cast(const Call &call)
{
    const auto to = dataTypeFromOnnx(int(call.attributes().integer("to", 0)));
    if (!to || *to == DataType::Undefined)
        return call.refuse("attribute \"to\" is not an element type");
    return castTo(call, *to);
}

Result<Description> castLike(const Call &call)
{
    return castTo(call, call.type(1));
}

Result<Description> identity(const Call &call)
{
    const Tensor &input = call.input(0);
    if (!input.otherType.empty() || input.type == DataType::Undefined || !input.shape)
        return build::opaque("its input is not a tensor of known type and rank",
                             {{input.type, input.shape, input.otherType}});
    return build::elementwise(call, 1, call.type(0), [](std::vector<Expr> x) { return x[0]; });
}

/// Is it certain that a Dropout drops nothing?
bool dropsNothing(const Call &call)
{
    const auto training = call.integers(2);
    if (!call.has(2) || (training && !training->empty() && training->front() == 0))
        return true;
    const auto ratio = call.reals(1);
    return ratio && !ratio->empty() && ratio->front() == 0;
}

/// Inference: x passes unchanged, the mask is all true.
Result<Description> dropout(const Call &call)
{
    if (!dropsNothing(call))
        return build::opaque(
            "it draws random numbers in training mode",
            {{call.type(0), call.shape(0), {}}, {DataType::Bool, call.shape(0), {}}});
    auto description = identity(call);
    if (description && call.outputCount() > 1) {
        Stage mask = description->stages.front();
        mask.name = "mask";
        mask.value = 1;
        mask.reads.clear();
        mask.body = Expr::integer(1, DataType::Bool);
        description->values.push_back({DataType::Bool, std::nullopt, {}});
        description->stages.push_back(std::move(mask));
    }
    return description;
}

Expr one(const Expr &like)
{
    return Expr::real(1, like.type());
}

/// Dropped elements get no gradient: dx = mask * dy / (1 - ratio).
Result<bool> dropoutGradient(AdjointBuilder &builder)
{
    const Call &call = builder.call();
    if (builder.input() != 0 || dropsNothing(call))
        return false;
    if (!builder.hasOutput(1))
        return call.refuse("has no gradient: it needs its mask as an output");
    const Shape &shape = call.shape(0);
    const IndexMap here = build::identityMap(shape.size());
    const DataType type = call.type(0);
    Stage stage;
    stage.axes = build::spaceAxes(shape);
    stage.write = here;
    stage.reads = {{builder.gradientOf(0), here, Read::Outside::Never, 0},
                   {builder.output(1), here, Read::Outside::Never, 0}};
    Expr kept = Expr::real(0.5, type);
    if (call.has(1)) {
        stage.reads.push_back(build::readInput(1, IndexMap(call.rank(1), Index::constant(0))));
        kept = one(kept) - Expr::cast(Expr::load(2, call.type(1)), type);
    }
    stage.body = Expr::select(Expr::load(1, DataType::Bool), Expr::load(0, type) / kept, 0.0);
    builder.add(std::move(stage));
    return true;
}

Result<Description> isInfinite(const Call &call)
{
    const bool positive = call.attributes().integer("detect_positive", 1) != 0;
    const bool negative = call.attributes().integer("detect_negative", 1) != 0;
    return build::elementwise(call, 1, DataType::Bool, [&](std::vector<Expr> x) {
        const Expr infinite = Expr::unary(Fn::IsInf, x[0]);
        const Expr sign = less(x[0], 0.0);
        if (positive && negative)
            return infinite;
        if (!positive && !negative)
            return Expr::integer(0, DataType::Bool);
        return Expr::binary(Fn::And, infinite, negative ? sign : Expr::unary(Fn::Not, sign));
    });
}

constexpr double seluAlpha = 1.67326319217681884765625, seluGamma = 1.05070102214813232421875;

Expr relu(const Expr &x, const Attributes &)
{
    return max(x, 0.0);
}
Expr leakyRelu(const Expr &x, const Attributes &a)
{
    return Expr::select(less(x, 0.0), x * double(a.real("alpha", 0.01f)), x);
}
Expr elu(const Expr &x, const Attributes &a)
{
    return Expr::select(less(x, 0.0), (exp(x) - 1.0) * double(a.real("alpha", 1)), x);
}
Expr selu(const Expr &x, const Attributes &a)
{
    const double alpha = a.real("alpha", float(seluAlpha)),
                 gamma = a.real("gamma", float(seluGamma));
    return Expr::select(less(Expr::real(0, x.type()), x), x, (exp(x) - 1.0) * alpha) * gamma;
}
Expr celu(const Expr &x, const Attributes &a)
{
    const double alpha = a.real("alpha", 1);
    return max(x, 0.0) + min((exp(x / alpha) - 1.0) * alpha, 0.0);
}
Expr sigmoid(const Expr &x, const Attributes &)
{
    return Expr::real(1, x.type()) / (exp(-x) + 1.0);
}
Expr hardSigmoidOp(const Expr &x, const Attributes &a)
{
    return hardSigmoid(x, a.real("alpha", 0.2f), a.real("beta", 0.5f));
}
Expr hardSwish(const Expr &x, const Attributes &)
{
    return x * hardSigmoid(x, 1.0 / 6, 0.5);
}
Expr softplusOp(const Expr &x, const Attributes &)
{
    return softplus(x);
}
Expr softsign(const Expr &x, const Attributes &)
{
    return x / (Expr::unary(Fn::Abs, x) + 1.0);
}
Expr mish(const Expr &x, const Attributes &)
{
    return x * Expr::unary(Fn::Tanh, softplus(x));
}
Expr gelu(const Expr &x, const Attributes &a)
{
    if (a.text("approximate", "none") == "tanh")
        return x * 0.5 *
               (Expr::unary(Fn::Tanh, (x + x * x * x * 0.044715) * std::sqrt(2 / M_PI)) + 1.0);
    return x * 0.5 * (Expr::unary(Fn::Erf, x * std::sqrt(0.5)) + 1.0);
}
Expr thresholdedRelu(const Expr &x, const Attributes &a)
{
    return Expr::select(less(Expr::real(a.real("alpha", 1), x.type()), x), x, 0.0);
}
Expr shrink(const Expr &x, const Attributes &a)
{
    const double lambda = a.real("lambd", 0.5f), bias = a.real("bias", 0);
    return Expr::select(less(x, -lambda), x + bias,
                        Expr::select(less(Expr::real(lambda, x.type()), x), x - bias, 0.0));
}
Expr reciprocal(const Expr &x, const Attributes &)
{
    return Expr::real(1, x.type()) / x;
}

/// Derivatives from the result.
Expr choose(const Expr &condition, const Expr &then, const Expr &otherwise)
{
    return Expr::select(condition, then, otherwise);
}
Expr zero(const Expr &like)
{
    return Expr::real(0, like.type());
}
Expr reluSlope(const Expr &y, const Attributes &)
{
    return choose(less(zero(y), y), one(y), zero(y));
}
Expr expSlope(const Expr &y, const Attributes &)
{
    return y;
}
Expr sqrtSlope(const Expr &y, const Attributes &)
{
    return Expr::real(0.5, y.type()) / y;
}
Expr sigmoidSlope(const Expr &y, const Attributes &)
{
    return y * (one(y) - y);
}
Expr tanhSlope(const Expr &y, const Attributes &)
{
    return one(y) - y * y;
}
Expr reciprocalSlope(const Expr &y, const Attributes &)
{
    return -(y * y);
}
/// alpha * (exp(x) - 1) below 0.
Expr eluSlope(const Expr &y, const Attributes &a)
{
    const double alpha = a.real("alpha", 1);
    return alpha > 0 ? choose(less(y, 0.0), y + alpha, one(y)) : Expr();
}
Expr leakyReluSlope(const Expr &y, const Attributes &a)
{
    const double alpha = a.real("alpha", 0.01f);
    return alpha > 0 ? choose(less(y, 0.0), Expr::real(alpha, y.type()), one(y)) : Expr();
}
Expr seluSlope(const Expr &y, const Attributes &a)
{
    const double alpha = a.real("alpha", float(seluAlpha)),
                 gamma = a.real("gamma", float(seluGamma));
    return alpha > 0 && gamma > 0
               ? choose(less(zero(y), y), Expr::real(gamma, y.type()), y + alpha * gamma)
               : Expr();
}
/// 1 - exp(-softplus).
Expr softplusSlope(const Expr &y, const Attributes &)
{
    return one(y) - exp(-y);
}
Expr hardSigmoidSlope(const Expr &y, const Attributes &a)
{
    const Expr isInside = Expr::binary(Fn::And, less(zero(y), y), less(y, 1.0));
    return choose(isInside, Expr::real(a.real("alpha", 0.2f), y.type()), zero(y));
}

constexpr Operator unaryOperator(std::string_view name,
                                 Result<Description> (*describe)(const Call &),
                                 std::int64_t since = 1)
{
    return {"", name, since, 1, 1, 1, describe};
}
constexpr Operator binaryOperator(std::string_view name,
                                  Result<Description> (*describe)(const Call &),
                                  std::int64_t since = 7)
{
    return {"", name, since, 2, 2, 1, describe};
}

/// Adds a seed, so that recomputing gives the same mask. In inference it drops nothing.
bool keepMask(TrainedCall &call)
{
    Node &node = call.node;
    if (node.inputs.size() < 3 || !node.inputs[2].valid())
        return false;
    const TensorData *mode = call.constant(2);
    if (mode && mode->elements() == 1 && mode->integer(0) == 0)
        return false;
    if (!node.attributes.contains("seed"))
        node.attributes = node.attributes.with("seed", call.number());
    call.addOutput(1, ".mask");
    return true;
}

constexpr std::array elementwiseEntries{
    unaryOperator("Abs", unary<apply<Fn::Abs>>),
    unaryOperator("Acos", unary<apply<Fn::Acos>>, 7),
    unaryOperator("Acosh", unary<apply<Fn::Acosh>>, 9),
    binaryOperator("Add", binary<Fn::Add>),
    binaryOperator("And", comparison<Fn::And>).like("bool[2,8,6,6] bool[2,8,6,6]"),
    unaryOperator("Asin", unary<apply<Fn::Asin>>, 7),
    unaryOperator("Asinh", unary<apply<Fn::Asinh>>, 9),
    unaryOperator("Atan", unary<apply<Fn::Atan>>, 7),
    unaryOperator("Atanh", unary<apply<Fn::Atanh>>, 9),
    binaryOperator("BitShift", bitShift, 11).like("uint8[2,8] uint8[2,8] direction=LEFT"),
    binaryOperator("BitwiseAnd", binary<Fn::BitAnd>, 18).like("uint8[2,8] uint8[2,8]"),
    unaryOperator("BitwiseNot", unary<apply<Fn::BitNot>>, 18).like("uint8[2,8]"),
    binaryOperator("BitwiseOr", binary<Fn::BitOr>, 18).like("uint8[2,8] uint8[2,8]"),
    binaryOperator("BitwiseXor", binary<Fn::BitXor>, 18).like("uint8[2,8] uint8[2,8]"),
    Operator{"", "Cast", 6, 1, 1, 1, cast, kernels::castText}.like("[2,8,6,6] to=10"),
    Operator{"", "CastLike", 15, 2, 2, 1, castLike, kernels::castText},
    unaryOperator("Ceil", unary<apply<Fn::Ceil>>),
    unaryOperator("Celu", unary<celu>, 12),
    Operator{"", "Clip", 11, 1, 3, 1, clip}.like("[2,8,6,6] (=0.0) (=6.0)"),
    unaryOperator("Cos", unary<apply<Fn::Cos>>, 7),
    unaryOperator("Cosh", unary<apply<Fn::Cosh>>, 9),
    binaryOperator("Div", binary<Fn::Div>),
    Operator{"", "Dropout", 12, 1, 3, 2, dropout, kernels::dropout}
        .like("[2,8,6,6]")
        .withGradient(dropoutGradient)
        .trainedBy(keepMask)
        .drawing(),
    unaryOperator("Elu", unary<elu>).withSlope(eluSlope),
    binaryOperator("Equal", comparison<Fn::Equal>),
    unaryOperator("Erf", unary<apply<Fn::Erf>>, 9),
    unaryOperator("Exp", unary<apply<Fn::Exp>>).withSlope(expSlope),
    unaryOperator("Floor", unary<apply<Fn::Floor>>),
    unaryOperator("Gelu", unary<gelu>, 20),
    binaryOperator("Greater", comparison<Fn::Less, true>),
    binaryOperator("GreaterOrEqual", comparison<Fn::LessOrEqual, true>, 12),
    unaryOperator("HardSigmoid", unary<hardSigmoidOp>).withSlope(hardSigmoidSlope),
    unaryOperator("HardSwish", unary<hardSwish>, 14),
    Operator{.domain = "",
             .name = "Identity",
             .describe = identity,
             .anyRank = true,
             .valueKernel = kernels::passOn},
    unaryOperator("IsInf", isInfinite, 10),
    unaryOperator("IsNaN", predicate<Fn::IsNan>, 9),
    unaryOperator("LeakyRelu", unary<leakyRelu>).withSlope(leakyReluSlope),
    binaryOperator("Less", comparison<Fn::Less>),
    binaryOperator("LessOrEqual", comparison<Fn::LessOrEqual>, 12),
    unaryOperator("Log", unary<apply<Fn::Log>>),
    Operator{"", "Max", 8, 1, -1, 1, variadic<Fn::Max>},
    Operator{"", "Mean", 8, 1, -1, 1, variadic<Fn::Add, true>},
    Operator{"", "Min", 8, 1, -1, 1, variadic<Fn::Min>},
    unaryOperator("Mish", unary<mish>, 18),
    binaryOperator("Mod", modulo, 10).like("int64[2,8] int64[2,8]"),
    binaryOperator("Mul", binary<Fn::Mul>),
    unaryOperator("Neg", unary<apply<Fn::Negate>>),
    unaryOperator("Not", predicate<Fn::Not>).like("bool[2,8,6,6]"),
    binaryOperator("Or", comparison<Fn::Or>).like("bool[2,8,6,6] bool[2,8,6,6]"),
    binaryOperator("PRelu", prelu).like("[2,8,6,6] w[8,1,1]"),
    binaryOperator("Pow", power),
    unaryOperator("Reciprocal", unary<reciprocal>).withSlope(reciprocalSlope),
    unaryOperator("Relu", unary<relu>).withSlope(reluSlope),
    unaryOperator("Round", unary<apply<Fn::Round>>, 11),
    unaryOperator("Selu", unary<selu>).withSlope(seluSlope),
    unaryOperator("Shrink", unary<shrink>, 9),
    unaryOperator("Sigmoid", unary<sigmoid>).withSlope(sigmoidSlope),
    unaryOperator("Sign", unary<apply<Fn::Sign>>, 9),
    unaryOperator("Sin", unary<apply<Fn::Sin>>, 7),
    unaryOperator("Sinh", unary<apply<Fn::Sinh>>, 9),
    unaryOperator("Softplus", unary<softplusOp>).withSlope(softplusSlope),
    unaryOperator("Softsign", unary<softsign>),
    unaryOperator("Sqrt", unary<apply<Fn::Sqrt>>).withSlope(sqrtSlope),
    binaryOperator("Sub", binary<Fn::Sub>),
    Operator{"", "Sum", 8, 1, -1, 1, variadic<Fn::Add>},
    unaryOperator("Tan", unary<apply<Fn::Tan>>, 7),
    unaryOperator("Tanh", unary<apply<Fn::Tanh>>).withSlope(tanhSlope),
    unaryOperator("ThresholdedRelu", unary<thresholdedRelu>, 10),
    Operator{"", "Where", 9, 3, 3, 1, where}.like("bool[2,8,6,6] [2,8,6,6] [2,8,6,6]"),
    binaryOperator("Xor", comparison<Fn::Xor>).like("bool[2,8,6,6] bool[2,8,6,6]"),
};

} // namespace

std::span<const Operator> elementwise()
{
    return elementwiseEntries;
}

} // namespace graphloom::entries
