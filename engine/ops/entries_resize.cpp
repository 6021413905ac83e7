// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/build.h"
#include "engine/ops/entries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace graphloom::entries {

namespace {

using Kind = Axis::Kind;

/// A positive scale or a coordinate as a fraction in lowest terms. Every float is one.
struct Fraction {
    std::int64_t over = 1, under = 1;
};

/// None for numbers that take more than 40 bits on either side of the point.
std::optional<Fraction> exactly(double value)
{
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    if (!std::isfinite(value) || exponent > 40)
        return std::nullopt;
    if (value == 0)
        return Fraction{0, 1};
    auto over = std::int64_t(std::ldexp(mantissa, 53));
    int twos = 53 - exponent; // value = over / 2^twos
    for (; over % 2 == 0 && twos > 0; --twos)
        over /= 2;
    if (twos > 40)
        return std::nullopt;
    return Fraction{over, std::int64_t{1} << twos};
}

/// How one dimension is resized: position x of the result lies at (factor * x + offset) / divisor
/// of the input.
struct Resized {
    Dim input, output;
    Fraction scale;            // where it is needed: extents that are not known have none
    bool scaleKnown = true;
    double start = 0, end = 1; // region of interest, in parts of the extent
    Dim factor = 1, offset = 0, divisor = 1;

    /// Every position falls on an element / on the element of the same number.
    bool isWhole() const { return divisor == Dim(1); }
    bool isSame() const { return isWhole() && factor == Dim(1) && offset == Dim(0); }
};

struct Settings {
    std::string mode, coordinates, nearest, policy;
    bool antialias, excludeOutside;
    double cubic, extrapolation;
    bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

template <class List> bool contains(const List &list, const std::string &text)
{
    return std::ranges::find(list, text) != std::end(list);
}

Result<Settings> settingsOf(const Call &call)
{
    const Attributes &a = call.attributes();
    Settings s{a.text("mode", "nearest"),
               a.text("coordinate_transformation_mode", "half_pixel"),
               a.text("nearest_mode", "round_prefer_floor"),
               a.text("keep_aspect_ratio_policy", "stretch"),
               a.integer("antialias", 0) != 0,
               a.integer("exclude_outside", 0) != 0,
               a.real("cubic_coeff_a", -0.75f),
               a.real("extrapolation_value", 0)};
    constexpr std::string_view modes[] = {"nearest", "linear", "cubic"};
    constexpr std::string_view coordinates[] = {
        "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
        "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
    constexpr std::string_view nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    constexpr std::string_view policies[] = {"stretch", "not_larger", "not_smaller"};
    if (!contains(modes, s.mode))
        return call.refuse("mode \"" + s.mode + "\" is not nearest, linear or cubic");
    if (!contains(coordinates, s.coordinates))
        return call.refuse("coordinate_transformation_mode \"" + s.coordinates + "\" is not known");
    if (!contains(nearest, s.nearest))
        return call.refuse("nearest_mode \"" + s.nearest + "\" is not known");
    if (!contains(policies, s.policy))
        return call.refuse("keep_aspect_ratio_policy \"" + s.policy + "\" is not known");
    return s;
}

bool isGiven(const Call &call, std::size_t input)
{
    return call.has(input) && !(elementsOf(call.shape(input)) == Dim(0));
}

/// Dimensions that scales, sizes and roi speak of, in their order.
Result<std::vector<int>> resizedAxes(const Call &call)
{
    std::vector<int> axes;
    if (call.attributes().contains("axes"))
        for (const std::int64_t axis : call.attributes().integers("axes")) {
            const auto normalized = build::normalizedAxis(call, axis, call.rank(0));
            if (!normalized)
                return tl::unexpected(normalized.error());
            if (std::ranges::find(axes, *normalized) != axes.end())
                return call.refuse("names an axis twice");
            axes.push_back(*normalized);
        }
    else
        for (std::size_t d = 0; d < call.rank(0); ++d)
            axes.push_back(int(d));
    return axes;
}

/// Refuses a list of another length than there are dimensions to resize.
Result<void> checkCount(const Call &call, std::string_view what, std::size_t count, std::size_t needed)
{
    if (count == needed)
        return {};
    return call.refuse("has " + std::to_string(count) + " " + std::string(what) + " where " +
                       std::to_string(needed) + " are needed");
}

/// input * scale, rounded down. Other tools multiply in single precision, and so does this:
/// 10 * 0.7f is 7, though 0.7f is a little less than 0.7. Extents that are not known are
/// multiplied exactly, if the scale is of the kind that leaves no doubt.
Dim scaledExtent(const Dim &input, double scale, double span)
{
    constexpr std::int64_t mostExact = std::int64_t{1} << 24; // in single precision
    if (input.isConstant() && input.value() <= mostExact) {
        const float extent = float(input.value()) * float(span) * float(scale);
        return std::fabs(extent) < 9e18f ? Dim(std::int64_t(std::floor(extent))) : Dim::overflow();
    }
    const auto exact = exactly(scale * span);
    if (!exact || (!input.isConstant() && exact->under > 1024))
        return build::unknownExtent();
    return Dim::floorDiv(input * Dim(exact->over), exact->under);
}

/// The scale that turns one extent into the other; not known for most symbolic extents.
void scaleBetween(Resized &dim)
{
    dim.scaleKnown = true;
    if (dim.input == dim.output) {
        dim.scale = {1, 1};
    } else if (dim.input.isConstant() && dim.output.isConstant()) {
        const std::int64_t common = std::gcd(dim.output.value(), dim.input.value());
        dim.scale = {dim.output.value() / common, dim.input.value() / common};
    } else {
        const Dim times = Dim::floorDiv(dim.output, dim.input);
        dim.scaleKnown = times.isConstant() && times.value() > 0 && times * dim.input == dim.output;
        if (dim.scaleKnown)
            dim.scale = {times.value(), 1};
    }
}

Result<void> readScales(const Call &call, const Settings &settings, const std::vector<int> &axes,
                        std::vector<Resized> &dims)
{
    const auto scales = *call.reals(2);
    if (auto checked = checkCount(call, "scales", scales.size(), axes.size()); !checked)
        return checked;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Resized &dim = dims[std::size_t(axes[i])];
        const auto exact = exactly(scales[i]);
        if (!exact || exact->over <= 0)
            return call.refuse("has the scale " + std::to_string(scales[i]) + ", which is out of range");
        dim.scale = *exact;
        dim.output = scaledExtent(dim.input, scales[i], settings.crops() ? dim.end - dim.start : 1);
    }
    return {};
}

Result<void> readSizes(const Call &call, const Settings &settings, const std::vector<int> &axes,
                       std::vector<Resized> &dims)
{
    const auto sizes = *call.values(3);
    if (auto checked = checkCount(call, "sizes", sizes.size(), axes.size()); !checked)
        return checked;
    const bool stretches = settings.policy == "stretch";
    std::optional<Fraction> common; // of all dimensions, when their ratio is to be kept
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Resized &dim = dims[std::size_t(axes[i])];
        dim.output = sizes[i];
        if (dim.output.isConstant() && dim.output.value() < 0)
            return call.refuse("has the size " + dim.output.text());
        if (dim.input == Dim(0) && !(dim.output == Dim(0)))
            return call.refuse("cannot resize an extent of 0 to " + dim.output.text());
        scaleBetween(dim);
        if (stretches || !dim.scaleKnown)
            continue;
        const Fraction &s = dim.scale;
        __extension__ typedef __int128 Wide;
        const bool smaller = common && Wide(s.over) * common->under < Wide(common->over) * s.under;
        if (!common || smaller == (settings.policy == "not_larger"))
            common = s;
    }
    if (stretches)
        return {};
    for (const int axis : axes) {
        Resized &dim = dims[std::size_t(axis)];
        if (!dim.scaleKnown || !common) {
            dim.output = build::unknownExtent();
            dim.scaleKnown = false;
            continue;
        }
        dim.scale = *common;
        // Rounded to the nearest, halves up.
        dim.output = Dim::floorDiv(dim.input * Dim(2 * common->over) + Dim(common->under),
                                   2 * common->under);
    }
    return {};
}

/// Fills in factor, offset and divisor; false when the extents or the scale are not known well
/// enough.
bool placeCoordinates(Resized &dim, const Settings &settings)
{
    if (!dim.scaleKnown || build::isUnknown(dim.output))
        return false;
    const Dim p = dim.scale.over, q = dim.scale.under;
    const std::string &mode = settings.coordinates;
    if (p == q && dim.input == dim.output && !(settings.crops() && (dim.start != 0 || dim.end != 1))) {
        // Left as it is, also by modes that would move it by half an element.
    } else if (mode == "asymmetric") {
        dim.factor = q;
        dim.divisor = p;
    } else if (mode == "tf_half_pixel_for_nn") {
        dim.factor = q * Dim(2);
        dim.offset = q;
        dim.divisor = p * Dim(2);
    } else if (mode == "align_corners") {
        // The resized length is meant before it was rounded down, as in ONNX's reference.
        dim.factor = (dim.input - Dim(1)) * q;
        dim.divisor = p * dim.input - q;
    } else if (mode == "tf_crop_and_resize") {
        const auto start = exactly(dim.start), end = exactly(dim.end);
        if (!start || !end || !dim.input.isConstant() || !dim.output.isConstant())
            return false;
        const std::int64_t both = std::lcm(start->under, end->under);
        const Dim first = start->over * (both / start->under), last = end->over * (both / end->under);
        const Dim span = dim.input - Dim(1), steps = dim.output - Dim(1);
        const bool one = dim.output.value() <= 1;
        dim.factor = one ? Dim(0) : (last - first) * span;
        dim.offset = one ? (first + last) * span : first * span * steps;
        dim.divisor = one ? Dim(2 * both) : Dim(both) * steps;
    } else if (mode == "pytorch_half_pixel" && dim.output == Dim(1)) {
        dim.factor = 0;
    } else { // the three half-pixel modes
        dim.factor = q * Dim(2);
        dim.offset = q - p;
        if (mode == "half_pixel_symmetric")
            dim.offset += dim.input * p - dim.output * q;
        dim.divisor = p * Dim(2);
    }
    if (dim.divisor.constant().value_or(1) <= 0) // one position, at the first element
        dim.factor = dim.offset = 0, dim.divisor = 1;
    if (dim.factor.isOverflow() || dim.offset.isOverflow() || dim.divisor.isOverflow())
        return false;
    if (dim.factor == dim.divisor && dim.offset == Dim(0)) {
        dim.factor = dim.divisor = 1;
    } else if (dim.factor.isConstant() && dim.offset.isConstant() && dim.divisor.isConstant()) {
        const std::int64_t common = std::gcd(std::gcd(dim.factor.value(), dim.offset.value()), dim.divisor.value());
        dim.factor = dim.factor.value() / common;
        dim.offset = dim.offset.value() / common;
        dim.divisor = dim.divisor.value() / common;
    }
    return true;
}

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

/// The input position nearest to where position `axis` of the result lies.
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

/// Whether an index of one axis leaves its dimension for some position, as far as can be told.
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

Expr known(const Dim &value)
{
    return value.isConstant() ? Expr::integer(value.value()) : Expr::table({value}, Expr::integer(0));
}

Expr plus(const Expr &value, const Dim &addend)
{
    return addend == Dim(0) ? value : value + known(addend);
}

/// Where the position lies in the input, times the divisor: an integer.
Expr scaledPosition(const Resized &dim, int axis)
{
    const Expr at = Expr::axis(axis);
    return plus(dim.factor == Dim(1) ? at : at * known(dim.factor), dim.offset);
}

/// Whether the position lies beyond the first or last element, where tf_crop_and_resize gives
/// the extrapolation value.
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
    double stretch; // the filter is as many times as wide as without antialiasing
};

Taps tapsOf(const Resized &dim, const Settings &settings)
{
    const int reach = settings.mode == "cubic" ? 2 : 1;
    double stretch = 1;
    if (settings.antialias && dim.scale.over < dim.scale.under)
        stretch = double(dim.scale.under) / double(dim.scale.over);
    const auto first = std::int64_t(std::floor(-reach * stretch)) + 1;
    return {first, 2 - 2 * first, stretch};
}

/// Weight of tap number `tap` for position `axis`: the filter at their distance; 0 for taps
/// outside of the tensor, where those are excluded.
Expr weightOf(const Resized &dim, const Taps &taps, const Settings &settings, int axis, int tap)
{
    const Expr at = scaledPosition(dim, axis), divisor = known(dim.divisor);
    const Expr number = plus(Expr::axis(tap), taps.first);
    const Expr rest = Expr::binary(Fn::Mod, at, divisor); // from the element below the position
    const Expr unit = dim.divisor.isConstant()
                          ? Expr::real(double(dim.divisor.value()) * taps.stretch, DataType::Double)
                          : Expr::cast(divisor, DataType::Double) * taps.stretch;
    const Expr away = Expr::unary(Fn::Abs, Expr::cast(rest - number * divisor, DataType::Double)) / unit;
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
    const Expr inside = Expr::binary(Fn::And, Expr::binary(Fn::LessOrEqual, Expr::integer(0), position),
                                     Expr::binary(Fn::Less, position, known(dim.input)));
    return Expr::select(inside, weight, 0.0);
}

Description nearestStage(const Call &call, const std::vector<Resized> &dims, const Settings &settings)
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
                stage.body = Expr::select(isCutOff(dims[d], int(d)), settings.extrapolation, stage.body);
    return build::single(call.type(0), std::move(stage));
}

/// One reduction axis for each dimension whose positions fall between elements. Weights that do
/// not add up to one by themselves are divided by their sum, which a stage of its own gathers.
Description interpolation(const Call &call, const std::vector<Resized> &dims, const Settings &settings)
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
        Index index = quotient(int(d), dim.factor, dim.offset + dim.divisor * Dim(taps.first), dim.divisor);
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
    const auto settings = settingsOf(call);
    if (!settings)
        return tl::unexpected(settings.error());
    const auto axes = resizedAxes(call);
    if (!axes)
        return tl::unexpected(axes.error());
    const bool byScales = isGiven(call, 2), bySizes = isGiven(call, 3);
    if (byScales == bySizes)
        return call.refuse(byScales ? "has both scales and sizes" : "has neither scales nor sizes");
    std::vector<Resized> dims(call.rank(0));
    for (std::size_t d = 0; d < dims.size(); ++d)
        dims[d].input = dims[d].output = call.shape(0)[d];

    const std::size_t given = byScales ? 2 : 3;
    if (call.rank(given) != 1)
        return call.refuse("its scales or sizes have shape " + text(call.shape(given)) + ", not one dimension");
    const auto region = settings->crops() && call.has(1) ? call.reals(1) : std::nullopt;
    const bool known = byScales ? call.reals(2).has_value() : call.values(3).has_value();
    const bool regionMatters = settings->crops() && byScales;
    const auto unknown = [&](std::string reason) {
        Shape shape;
        for (const Resized &dim : dims)
            shape.push_back(dim.output);
        return build::opaque(std::move(reason), {{call.type(0), std::move(shape), {}}});
    };
    const auto forget = [&] {
        for (const int axis : *axes)
            dims[std::size_t(axis)].output = build::unknownExtent();
    };
    if (!known || (settings->crops() && !region && regionMatters)) {
        forget();
        return unknown("its scales, sizes or region are computed while the model runs");
    }
    if (region) {
        if (auto checked = checkCount(call, "numbers of its region", region->size(), 2 * axes->size()); !checked)
            return tl::unexpected(checked.error());
        for (std::size_t i = 0; i < axes->size(); ++i) {
            dims[std::size_t((*axes)[i])].start = (*region)[i];
            dims[std::size_t((*axes)[i])].end = (*region)[i + axes->size()];
        }
    }
    const auto read = byScales ? readScales(call, *settings, *axes, dims) : readSizes(call, *settings, *axes, dims);
    if (!read)
        return tl::unexpected(read.error());
    if (settings->crops() && !region)
        return unknown("its region is computed while the model runs");
    for (Resized &dim : dims)
        if (!placeCoordinates(dim, *settings))
            return unknown("where its positions lie in the input is known only while the model runs");
    return settings->mode == "nearest" ? nearestStage(call, dims, *settings)
                                       : interpolation(call, dims, *settings);
}

constexpr std::array table{
    Operator{"", "Resize", 11, 1, 4, 1, resize},
};

} // namespace

std::span<const Operator> resizing()
{
    return table;
}

} // namespace graphloom::entries
