// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <array>
#include <cmath>

/// Fourier transforms by definition: sums over all elements of a line.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// Returns one product of the transform: the element at `sample`, given by its real part and, if it
/// is complex, its imaginary part, times the root of unity of frequency and sample. `part` is the
/// axis over the real and the imaginary part of the result.
Expr rotated(const Expr &real, const Expr &imaginary, int frequency, int sample, const Dim &length,
             int part, bool inverse)
{
    // The integer remainder by the length keeps angles small and exact.
    const Expr steps =
        Expr::binary(Fn::Mod, Expr::axis(frequency) * Expr::axis(sample), known(length));
    const Expr angle = Expr::cast(steps, DataType::Double) * ((inverse ? 2 : -2) * M_PI) /
                       Expr::cast(known(length), DataType::Double);
    const Expr cosine = Expr::unary(Fn::Cos, angle), sine = Expr::unary(Fn::Sin, angle);
    const Expr isReal = Expr::binary(Fn::Equal, Expr::axis(part), Expr::integer(0));
    if (imaginary.empty())
        return real * Expr::select(isReal, cosine, sine);
    return Expr::select(isReal, real * cosine - imaginary * sine, real * sine + imaginary * cosine);
}

/// Returns the single number of an input, if it is known; refuses more than one number.
Result<std::optional<Dim>> numberOf(const Call &call, std::size_t input)
{
    if (elementsOf(call.shape(input)).constant().value_or(1) != 1)
        return call.refuse("its input " + std::to_string(input) + " must be a single number");
    const auto values = call.values(input);
    return values ? std::optional((*values)[0]) : std::nullopt;
}

Result<bool> isComplex(const Call &call)
{
    const auto parts = call.shape(0).back().constant();
    if (!parts || (*parts != 1 && *parts != 2) || !isFloatingPoint(call.type(0)))
        return call.refuse("its input of shape " + text(call.shape(0)) +
                           " must end in a dimension of real and imaginary parts");
    return *parts == 2;
}

Result<Description> fourierTransform(const Call &call)
{
    const Shape &x = call.shape(0);
    if (x.size() < 2)
        return call.refuse("its input must have rank 2 or more, but has shape " + text(x));
    GL_TRY_CONST(complex, isComplex(call));
    std::int64_t given = call.opset() >= 20 ? -2 : call.attributes().integer("axis", 1);
    const auto unknown = [&](std::string reason, Shape shape) {
        return build::opaque(std::move(reason), {{call.type(0), std::move(shape), {}}});
    };
    if (call.opset() >= 20 && call.has(2)) {
        const auto axis = call.integers(2);
        if (!axis || axis->size() != 1)
            return unknown("its axis is computed at run time",
                           Shape(x.size(), build::unknownExtent()));
        given = axis->front();
    }
    GL_TRY_CONST(axis, build::normalizedAxis(call, given, x.size()));
    if (*axis == int(x.size()) - 1)
        return call.refuse("cannot transform along the dimension of real and imaginary parts");
    const bool inverse = call.attributes().integer("inverse", 0) != 0;
    const bool oneSided = call.attributes().integer("onesided", 0) != 0;
    if (oneSided && (inverse || *complex))
        return call.refuse("onesided does not apply to an inverse or complex transform");
    const auto d = std::size_t(*axis);
    Dim length = x[d];
    Shape to = x;
    to.back() = 2;
    if (call.has(1)) {
        GL_TRY_CONST(stated, numberOf(call, 1));
        if (!*stated) {
            to[d] = build::unknownExtent();
            return unknown("its length is computed at run time", std::move(to));
        }
        length = **stated;
        if (length.isConstant() && length.value() < 1)
            return call.refuse("has the invalid length " + length.text());
    }
    to[d] = oneSided ? Dim::floorDiv(length, 2) + Dim(1) : length;

    Stage stage;
    stage.axes = build::spaceAxes(to);
    stage.write = build::identityMap(to.size());
    const int part = int(to.size()) - 1, sample = int(to.size());
    stage.axes[d].name = "f";
    stage.axes[std::size_t(part)].name = "p";
    stage.axes.push_back({"s", length, Kind::Reduce});
    IndexMap from = build::identityMap(to.size());
    from[d] = Index::axis(sample);
    for (int p = 0; p <= int(*complex); ++p) {
        from.back() = Index::constant(p);
        stage.reads.push_back(length == x[d] ? build::readInput(0, from)
                                             : build::readInput(0, from, 0));
    }
    const auto load = [&](int read) {
        return Expr::cast(Expr::load(read, call.type(0)), DataType::Double);
    };
    stage.body =
        rotated(load(0), *complex ? load(1) : Expr(), *axis, sample, length, part, inverse);
    stage.combine = Combine::Sum;
    if (inverse)
        stage.finish =
            Expr::accumulator(DataType::Double) / Expr::cast(known(length), DataType::Double);
    return build::single(call.type(0), std::move(stage));
}

/// Transforms frames that are cut out of a signal at regular distances.
Result<Description> shortTimeTransform(const Call &call)
{
    const Shape &x = call.shape(0);
    if (x.size() != 3)
        return call.refuse(
            "its input must have the dimensions batch, sample, part, but has shape " + text(x));
    GL_TRY_CONST(complex, isComplex(call));
    const bool oneSided = call.attributes().integer("onesided", 1) != 0;
    if (oneSided && *complex)
        return call.refuse("onesided does not apply to a complex transform");
    GL_TRY_CONST(step, numberOf(call, 1));
    std::optional<Dim> length;
    if (call.has(2)) {
        if (call.rank(2) != 1)
            return call.refuse("its window of shape " + text(call.shape(2)) +
                               " must have one dimension");
        length = call.shape(2)[0];
    }
    if (call.has(3)) {
        GL_TRY_CONST(stated, numberOf(call, 3));
        if (length && *stated && (*length - **stated).constant().value_or(0) != 0)
            return call.refuse("its frames of " + (*stated)->text() +
                               " samples do not match the length " + length->text() +
                               " of its window");
        length = *stated ? *stated : length;
    } else if (!length) {
        return call.refuse("has neither a window nor a frame length");
    }
    if (!*step || !length)
        return build::opaque(
            "its frames are known only at run time",
            {{call.type(0), Shape{x[0], build::unknownExtent(), build::unknownExtent(), 2}, {}}});
    if ((*step)->constant().value_or(1) < 1 || length->constant().value_or(1) < 1)
        return call.refuse("its frame step and length must be positive");
    const Dim frames = Dim::floorDiv(x[1] - *length, **step) + Dim(1);
    const Dim frequencies = oneSided ? Dim::floorDiv(*length, 2) + Dim(1) : *length;
    enum { batch, frame, frequency, part, sample };
    Stage stage;
    stage.axes = {{"n", x[0], Kind::Space},
                  {"t", frames, Kind::Space},
                  {"f", frequencies, Kind::Space},
                  {"p", 2, Kind::Space},
                  {"s", *length, Kind::Reduce}};
    stage.write = build::identityMap(4);
    Index at = Index::axis(frame, **step);
    at.terms.push_back({sample, 1});
    for (int p = 0; p <= int(*complex); ++p)
        stage.reads.push_back(build::readInput(0, {Index::axis(batch), at, Index::constant(p)}));
    const auto load = [&](int read) {
        return Expr::cast(Expr::load(read, call.type(0)), DataType::Double);
    };
    Expr body =
        rotated(load(0), *complex ? load(1) : Expr(), frequency, sample, *length, part, false);
    if (call.has(2)) {
        body =
            body * Expr::cast(Expr::load(int(stage.reads.size()), call.type(2)), DataType::Double);
        stage.reads.push_back(build::readInput(2, {Index::axis(sample)}));
    }
    stage.body = std::move(body);
    stage.combine = Combine::Sum;
    return build::single(call.type(0), std::move(stage));
}

constexpr std::array signalEntries{
    Operator{"", "DFT", 17, 1, 3, 1, fourierTransform}.like("[2,16,2] axis=1"),
    Operator{"", "STFT", 17, 2, 4, 1, shortTimeTransform}.like("[1,64,1] (=8) _ (=16)"),
};

} // namespace

std::span<const Operator> signal()
{
    return signalEntries;
}

} // namespace graphloom::entries
