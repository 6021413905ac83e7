// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"

#include <array>
#include <cmath>

/// Operators whose elements are functions of their positions and a few numbers.
namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

Result<DataType> statedType(const Call &call, std::string_view attribute)
{
    const auto type = dataTypeFromOnnx(int(call.attributes().integer(attribute, 1)));
    if (!type || !(isFloatingPoint(*type) || isIntegral(*type)))
        return call.refuse("attribute \"" + std::string(attribute) + "\" must be a numeric type");
    return *type;
}

Result<void> checkNumbers(const Call &call)
{
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        if (elementsOf(call.shape(i)).constant().value_or(1) != 1)
            return call.refuse("its input " + std::to_string(i) + " must be a single number");
    return {};
}

/// a - b cos(2 pi i / n) + c cos(4 pi i / n); n is the size, or one less for symmetric windows.
struct Cosines {
    double constant, once, twice;
};
constexpr Cosines hann{0.5, 0.5, 0}, hamming{25.0 / 46, 21.0 / 46, 0}, blackman{0.42, 0.5, 0.08};

template <const Cosines &cosines> Result<Description> window(const Call &call)
{
    GL_TRY_CONST(type, statedType(call, "output_datatype"));
    GL_TRY(checkNumbers(call));
    const auto size = call.values(0);
    if (!size)
        return build::opaque("its size is computed at run time",
                             {{*type, Shape{build::unknownExtent()}, {}}});
    const bool periodic = call.attributes().integer("periodic", 1) != 0;
    const Dim period = Dim::max(periodic ? (*size)[0] : (*size)[0] - Dim(1), 1);
    Stage stage;
    stage.axes = {{"i", (*size)[0], Kind::Space}};
    stage.write = {Index::axis(0)};
    const Expr angle = wide(Expr::axis(0)) * (2 * M_PI) / wide(known(period));
    Expr value =
        Expr::real(cosines.constant, DataType::Double) - Expr::unary(Fn::Cos, angle) * cosines.once;
    if (cosines.twice != 0)
        value = value + Expr::unary(Fn::Cos, angle * 2.0) * cosines.twice;
    stage.body = Expr::cast(value, *type);
    return build::single(*type, std::move(stage));
}

/// Computes triangles over the frequencies of a Fourier transform, equally spaced on the mel scale.
/// A first stage computes the frequencies of their starts, peaks and ends.
Result<Description> melWeights(const Call &call)
{
    GL_TRY_CONST(type, statedType(call, "output_datatype"));
    GL_TRY(checkNumbers(call));
    const auto bands = call.values(0), length = call.values(1);
    if (!bands || !length)
        return build::opaque(
            "its extents are computed at run time",
            {{*type,
              Shape{length ? Dim::floorDiv((*length)[0], 2) + Dim(1) : build::unknownExtent(),
                    bands ? (*bands)[0] : build::unknownExtent()},
              {}}});
    enum { rate, lowest, highest };
    Stage edges;
    edges.name = "edges";
    edges.value = 1;
    edges.axes = {{"i", (*bands)[0] + Dim(2), Kind::Space}};
    edges.write = {Index::axis(0)};
    for (const int input : {2, 3, 4})
        edges.reads.push_back(
            build::readInput(input, IndexMap(call.rank(std::size_t(input)), Index::constant(0))));
    const auto load = [&](int read) {
        return wide(Expr::load(read, call.type(std::size_t(read + 2))));
    };
    constexpr double perDecade = 2595, base = 700; // constants of the mel scale
    const auto mel = [&](const Expr &hertz) {
        return Expr::unary(Fn::Log, hertz / base + 1.0) * (perDecade / std::log(10));
    };
    const Expr step = (mel(load(highest)) - mel(load(lowest))) / wide(known((*bands)[0] + Dim(2)));
    const Expr here = wide(Expr::axis(0)) * step + mel(load(lowest));
    const Expr hertz = (Expr::unary(Fn::Exp, here * (std::log(10) / perDecade)) - 1.0) * base;
    edges.body =
        Expr::cast(Expr::unary(Fn::Floor, hertz * wide(known((*length)[0] + Dim(1))) / load(rate)),
                   DataType::Int64);

    Stage weights;
    weights.name = "weights";
    weights.axes = {{"f", Dim::floorDiv((*length)[0], 2) + Dim(1), Kind::Space},
                    {"m", (*bands)[0], Kind::Space}};
    weights.write = build::identityMap(2);
    for (const int edge : {0, 1, 2})
        weights.reads.push_back(build::readValue(1, {Index::axis(1, 1, edge)}));
    const Expr at = Expr::axis(0), start = Expr::load(0, DataType::Int64),
               peak = Expr::load(1, DataType::Int64), end = Expr::load(2, DataType::Int64);
    const auto notAbove = [](const Expr &a, const Expr &b) {
        return Expr::binary(Fn::LessOrEqual, a, b);
    };
    const auto both = [](const Expr &a, const Expr &b) { return Expr::binary(Fn::And, a, b); };
    const Expr falling = both(notAbove(peak, at), Expr::binary(Fn::Less, at, end));
    const Expr rising = both(notAbove(start, at), notAbove(at, peak));
    const Expr up =
        Expr::select(Expr::binary(Fn::Equal, start, peak), Expr::real(1, DataType::Double),
                     wide(at - start) / wide(peak - start));
    weights.body = Expr::cast(
        Expr::select(falling, wide(end - at) / wide(end - peak), Expr::select(rising, up, 0.0)),
        *type);
    Description description;
    description.values = {{*type, std::nullopt, {}}, {DataType::Int64, std::nullopt, {}}};
    description.stages = {std::move(edges), std::move(weights)};
    return description;
}

/// Computes the source of each element of an image under an affine map of coordinates -1…1.
Result<Description> affineGrid(const Call &call)
{
    const Shape &theta = call.shape(0);
    const auto size = call.values(1);
    const std::size_t dims = theta.size() == 3 && theta[1] == Dim(3) ? 3 : 2;
    if (theta.size() != 3 || (theta[1] - Dim(std::int64_t(dims))).constant().value_or(0) != 0 ||
        (theta[2] - Dim(std::int64_t(dims) + 1)).constant().value_or(0) != 0)
        return call.refuse("its maps have shape " + text(theta) +
                           "; expected n x 2 x 3 or n x 3 x 4");
    Shape to{theta[0]};
    if (size && (size->size() != dims + 2 || ((*size)[0] - theta[0]).constant().value_or(0) != 0))
        return call.refuse("its size does not match its maps of shape " + text(theta));
    for (std::size_t d = 0; d < dims; ++d)
        to.push_back(size ? (*size)[d + 2] : build::unknownExtent());
    to.push_back(std::int64_t(dims));
    if (!size)
        return build::opaque("its size is computed at run time",
                             {{call.type(0), std::move(to), {}}});
    const bool alignCorners = call.attributes().integer("align_corners", 0) != 0;
    Stage stage;
    stage.axes = build::spaceAxes(to);
    stage.write = build::identityMap(to.size());
    const int row = int(to.size()) - 1;
    Expr sum;
    for (std::size_t column = 0; column <= dims; ++column) {
        const auto read = int(stage.reads.size());
        stage.reads.push_back(build::readInput(
            0, {Index::axis(0), Index::axis(row), Index::constant(std::int64_t(column))}));
        Expr part = wide(Expr::load(read, call.type(0)));
        if (column < dims) { // coordinates begin with the last dimension
            const std::size_t d = dims - column;
            const Expr at = wide(Expr::axis(int(d)));
            part = part * (alignCorners ? at * 2.0 / wide(known(Dim::max(to[d] - Dim(1), 1))) - 1.0
                                        : (at * 2.0 + 1.0) / wide(known(to[d])) - 1.0);
        }
        sum = sum.empty() ? part : sum + part;
    }
    stage.body = Expr::cast(sum, call.type(0));
    return build::single(call.type(0), std::move(stage));
}

constexpr std::array generationEntries{
    Operator{"", "AffineGrid", 20, 2, 2, 1, affineGrid}.like("[2,2,3] (2,8,6,6)"),
    Operator{"", "BlackmanWindow", 17, 1, 1, 1, window<blackman>}.like("(=16)"),
    Operator{"", "HammingWindow", 17, 1, 1, 1, window<hamming>}.like("(=16)"),
    Operator{"", "HannWindow", 17, 1, 1, 1, window<hann>}.like("(=16)"),
    Operator{"", "MelWeightMatrix", 17, 5, 5, 1, melWeights}.like(
        "(=8) (=64) (=8000) (=0.0) (=4000.0)"),
};

} // namespace

std::span<const Operator> generation()
{
    return generationEntries;
}

} // namespace graphloom::entries
