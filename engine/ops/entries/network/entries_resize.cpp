// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/entries/resizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace graphloom::entries {

namespace {

using build::Resized;
using build::ResizeSettings;
using Kind = Axis::Kind;

/// floor((factor * axis + offset) / divisor) with common factors taken out.
Index quotient(int axis, const Dim &factor, const Dim &offset, const Dim &divisor)
{
    Index index = Index::axis(axis, factor, offset);
    index.divide = divisor;
    if (factor.isConstant() && divisor.isConstant()) {
        const std::int64_t common = std::gcd(factor.value(), divisor.value());
        index.terms[0].coefficient = factor.value() / common;
        index.offset = Dim::floorDiv(offset, common);
        index.divide = divisor.value() / common;
    }
    if (index.terms[0].coefficient == Dim(0))
        index.terms.clear();
    return index;
}

/// Returns the input position nearest to position `axis` of the result.
Index nearestIndex(const Resized &dim, int axis, const std::string &rounding)
{
    if (dim.isWhole())
        return quotient(axis, dim.factor, dim.offset, 1);
    if (rounding == "floor")
        return quotient(axis, dim.factor, dim.offset, dim.divisor);
    if (rounding == "ceil")
        return quotient(axis, dim.factor, dim.offset + dim.divisor - Dim(1), dim.divisor);
    // floor(x + 1/2), and ceil(x - 1/2), which is floor(x + 1/2 - the least step).
    const Dim half = dim.divisor - Dim(rounding == "round_prefer_floor" ? 1 : 0);
    return quotient(axis, dim.factor * Dim(2), dim.offset * Dim(2) + half, dim.divisor * Dim(2));
}

/// Returns whether an index of one axis may leave its dimension for some position.
bool mayLeave(const Index &index, const Resized &dim)
{
    const auto at = [&](const Dim &position) {
        Dim value = index.offset;
        for (const auto &term : index.terms)
            value += term.coefficient * position;
        return Dim::floorDiv(value, index.divide);
    };
    Dim least = at(0), most = at(dim.output - Dim(1));
    if (dim.factor.isConstant() && dim.factor.value() < 0)
        std::swap(least, most);
    const Dim beyond = most - dim.input;
    return least.lowerBound().value_or(-1) < 0 || !beyond.isConstant() || beyond.value() >= 0;
}

Expr plus(const Expr &value, const Dim &addend)
{
    return addend == Dim(0) ? value : value + known(addend);
}

/// Returns the position in the input times the divisor, which is an integer.
Expr scaledPosition(const Resized &dim, int axis)
{
    const Expr at = Expr::axis(axis);
    return plus(dim.factor == Dim(1) ? at : at * known(dim.factor), dim.offset);
}

/// Returns whether the position lies beyond the first or last element, where tf_crop_and_resize
/// yields the extrapolation value.
Expr isCutOff(const Resized &dim, int axis)
{
    const Expr at = scaledPosition(dim, axis);
    return Expr::binary(Fn::Or, Expr::binary(Fn::Less, at, Expr::integer(0)),
                        Expr::binary(Fn::Less, known((dim.input - Dim(1)) * dim.divisor), at));
}

/// The elements that one dimension of a position is interpolated from: `count` of them, the
/// first one `first` away from the position rounded down.
struct Taps {
    std::int64_t first, count;
    double stretch; // width of the filter relative to that without antialiasing
};

Taps tapsOf(const Resized &dim, const ResizeSettings &settings)
{
    const int reach = settings.mode == "cubic" ? 2 : 1;
    // An empty output has no positions; a filter wider than any tensor need not be wider still.
    constexpr double widest = 0x1p52;
    double stretch = 1;
    if (settings.antialias && dim.scale.over < dim.scale.under)
        stretch = std::min(double(dim.scale.under) / double(dim.scale.over), widest);
    const auto first = std::int64_t(std::floor(-reach * stretch)) + 1;
    return {first, 2 - 2 * first, stretch};
}

/// Returns the weight of tap number `tap` for position `axis`: the filter at their distance, or 0
/// for taps outside the tensor if those are excluded.
Expr weightOf(const Resized &dim, const Taps &taps, const ResizeSettings &settings, int axis,
              int tap)
{
    const Expr at = scaledPosition(dim, axis), divisor = known(dim.divisor);
    const Expr number = plus(Expr::axis(tap), taps.first);
    const Expr rest = Expr::binary(Fn::Mod, at, divisor); // distance from the element below
    const Expr unit = dim.divisor.isConstant()
                          ? Expr::real(double(dim.divisor.value()) * taps.stretch, DataType::Double)
                          : Expr::cast(divisor, DataType::Double) * taps.stretch;
    const Expr away =
        Expr::unary(Fn::Abs, Expr::cast(rest - number * divisor, DataType::Double)) / unit;
    Expr weight = Expr::real(1, DataType::Double) - away;
    if (settings.mode == "cubic") {
        const double a = settings.cubic;
        const Expr near = ((away * (a + 2) - (a + 3)) * away) * away + 1.0;
        const Expr far = ((away * a - 5 * a) * away + 8 * a) * away - 4 * a;
        weight = Expr::select(Expr::binary(Fn::LessOrEqual, away, 1.0), near,
                              Expr::select(Expr::binary(Fn::Less, away, 2.0), far, 0.0));
    } else if (taps.stretch != 1) {
        weight = Expr::binary(Fn::Max, weight, 0.0);
    }
    if (!settings.excludeOutside)
        return weight;
    const Expr position = Expr::binary(Fn::FloorDiv, at, divisor) + number;
    const Expr inside =
        Expr::binary(Fn::And, Expr::binary(Fn::LessOrEqual, Expr::integer(0), position),
                     Expr::binary(Fn::Less, position, known(dim.input)));
    return Expr::select(inside, weight, 0.0);
}

Description nearestStage(const Call &call, const std::vector<Resized> &dims,
                         const ResizeSettings &settings)
{
    const std::size_t rank = dims.size();
    Stage stage;
    Shape to;
    IndexMap from;
    bool leaves = false;
    for (std::size_t d = 0; d < rank; ++d) {
        to.push_back(dims[d].output);
        from.push_back(nearestIndex(dims[d], int(d), settings.nearest));
        leaves = leaves || mayLeave(from.back(), dims[d]);
    }
    stage.axes = build::spaceAxes(to);
    stage.reads = {build::readInput(0, std::move(from))};
    if (leaves)
        stage.reads[0].outside = Read::Outside::Clamp;
    stage.write = build::identityMap(rank);
    stage.body = Expr::load(0, call.type(0));
    if (settings.crops())
        for (std::size_t d = 0; d < rank; ++d)
            if (!dims[d].isSame())
                stage.body =
                    Expr::select(isCutOff(dims[d], int(d)), settings.extrapolation, stage.body);
    return build::single(call.type(0), std::move(stage));
}

/// Uses one reduction axis for each dimension whose positions fall between elements. Weights that
/// do not add up to one are divided by their sum, which a separate stage computes.
Description interpolation(const Call &call, const std::vector<Resized> &dims,
                          const ResizeSettings &settings)
{
    const std::size_t rank = dims.size();
    Description description;
    description.values.push_back({call.type(0), std::nullopt, {}});
    Stage stage;
    Shape to;
    for (const Resized &dim : dims)
        to.push_back(dim.output);
    stage.axes = build::spaceAxes(to);
    stage.reads = {build::readInput(0, {})};
    stage.write = build::identityMap(rank);
    const bool isReal = isFloatingPoint(call.type(0));
    Expr product = Expr::load(0, call.type(0)), cutOff;
    if (!isReal)
        product = Expr::cast(product, DataType::Double);
    bool interpolates = false, leaves = false;
    IndexMap from;
    for (std::size_t d = 0; d < rank; ++d) {
        const Resized &dim = dims[d];
        const Taps taps = tapsOf(dim, settings);
        if (settings.crops() && !dim.isSame()) {
            const Expr cut = isCutOff(dim, int(d));
            cutOff = cutOff.empty() ? cut : Expr::binary(Fn::Or, cutOff, cut);
        }
        if (dim.isWhole() && taps.stretch == 1) {
            from.push_back(quotient(int(d), dim.factor, dim.offset, 1));
            leaves = leaves || mayLeave(from.back(), dim);
            continue;
        }
        interpolates = leaves = true;
        const int tap = int(stage.axes.size());
        const std::string name = "k" + stage.axes[d].name;
        stage.axes.push_back({name, taps.count, Kind::Reduce});
        Index index =
            quotient(int(d), dim.factor, dim.offset + dim.divisor * Dim(taps.first), dim.divisor);
        index.terms.push_back({tap, index.divide});
        from.push_back(std::move(index));
        Expr weight = weightOf(dim, taps, settings, int(d), tap);
        if (settings.excludeOutside || taps.stretch != 1) {
            const int value = int(description.values.size());
            description.values.push_back({DataType::Double, std::nullopt, {}});
            Stage sum;
            sum.name = "sum of weights along " + stage.axes[d].name;
            sum.axes = {stage.axes[d], stage.axes[std::size_t(tap)]};
            sum.value = value;
            sum.write = {Index::axis(0)};
            sum.combine = Combine::Sum;
            sum.body = weightOf(dim, taps, settings, 0, 1);
            description.stages.push_back(std::move(sum));
            const int read = int(stage.reads.size());
            stage.reads.push_back(build::readValue(value, {Index::axis(int(d))}));
            weight = weight / Expr::load(read, DataType::Double);
        }
        product = product * (isReal ? Expr::cast(weight, call.type(0)) : weight);
    }
    stage.reads[0].map = std::move(from);
    if (leaves)
        stage.reads[0].outside = Read::Outside::Clamp;
    stage.body = product;
    Expr &result = interpolates ? stage.finish : stage.body;
    if (interpolates) {
        stage.name = description.stages.empty() ? "" : "weigh";
        stage.combine = Combine::Sum;
    }
    if (!cutOff.empty())
        result = Expr::select(cutOff, settings.extrapolation,
                              interpolates ? Expr::accumulator(product.type()) : product);
    description.stages.push_back(std::move(stage));
    return description;
}

Result<Description> resize(const Call &call)
{
    GL_TRY_CONST(settings, build::resizeSettings(call));
    GL_TRY_CONST(resizing, build::resizingOf(call, *settings));
    if (!resizing->unknown.empty()) {
        Shape shape;
        for (const Resized &dim : resizing->dims)
            shape.push_back(dim.output);
        return build::opaque(resizing->unknown, {{call.type(0), std::move(shape), {}}});
    }
    return settings->mode == "nearest" ? nearestStage(call, resizing->dims, *settings)
                                       : interpolation(call, resizing->dims, *settings);
}

constexpr std::array resizeEntries{
    Operator{"", "Resize", 11, 1, 4, 1, resize}.like("[2,8,6,6] _ _ (2,8,12,12)"),
};

} // namespace

std::span<const Operator> resizing()
{
    return resizeEntries;
}

} // namespace graphloom::entries
