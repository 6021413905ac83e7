// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/entries/resizing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphloom::build {

namespace {

/// Fails for numbers that need more than 40 bits on either side of the point.
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

template <class List> bool contains(const List &list, const std::string &text)
{
    return std::ranges::find(list, text) != std::end(list);
}

bool isGiven(const Call &call, std::size_t input)
{
    return call.has(input) && !(elementsOf(call.shape(input)) == Dim(0));
}

/// Returns the dimensions of scales, sizes and roi in their order.
Result<std::vector<int>> resizedAxes(const Call &call)
{
    std::vector<int> axes;
    if (call.attributes().contains("axes"))
        for (const std::int64_t axis : call.attributes().integers("axes")) {
            GL_TRY_CONST(normalized, build::normalizedAxis(call, axis, call.rank(0)));
            if (std::ranges::find(axes, *normalized) != axes.end())
                return call.refuse("has a duplicate axis");
            axes.push_back(*normalized);
        }
    else
        for (std::size_t d = 0; d < call.rank(0); ++d)
            axes.push_back(int(d));
    return axes;
}

/// Refuses a list whose length is not the number of dimensions to resize.
Result<void> checkCount(const Call &call, std::string_view what, std::size_t count,
                        std::size_t needed)
{
    if (count == needed)
        return {};
    return call.refuse("has " + std::to_string(count) + " " + std::string(what) + "; expected " +
                       std::to_string(needed));
}

/// Returns input * scale, rounded down. Like other tools, it multiplies in single precision:
/// 10 * 0.7f is 7, though 0.7f is a little less than 0.7. Unknown extents are multiplied exactly,
/// if the scale is such that rounding makes no difference.
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

/// Sets the scale that maps one extent to the other; it is unknown for most symbolic extents.
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

Result<void> readScales(const Call &call, const ResizeSettings &settings,
                        const std::vector<int> &axes, std::vector<Resized> &dims)
{
    const auto scales = *call.reals(2);
    GL_TRY(checkCount(call, "scales", scales.size(), axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Resized &dim = dims[std::size_t(axes[i])];
        const auto exact = exactly(scales[i]);
        if (!exact || exact->over <= 0)
            return call.refuse("has the scale " + std::to_string(scales[i]) +
                               ", which is out of range");
        dim.scale = *exact;
        dim.output = scaledExtent(dim.input, scales[i], settings.crops() ? dim.end - dim.start : 1);
    }
    return {};
}

Result<void> readSizes(const Call &call, const ResizeSettings &settings,
                       const std::vector<int> &axes, std::vector<Resized> &dims)
{
    const auto sizes = *call.values(3);
    GL_TRY(checkCount(call, "sizes", sizes.size(), axes.size()));
    const bool stretches = settings.policy == "stretch";
    std::optional<Fraction> common; // scale of all dimensions if their ratio is kept
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Resized &dim = dims[std::size_t(axes[i])];
        dim.output = sizes[i];
        if (dim.output.isConstant() && dim.output.value() < 0)
            return call.refuse("has the invalid size " + dim.output.text());
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
        // Rounded to nearest, halves up.
        dim.output = Dim::floorDiv(dim.input * Dim(2 * common->over) + Dim(common->under),
                                   2 * common->under);
    }
    return {};
}

/// Sets factor, offset and divisor; returns false if too little is known of the extents or scale.
bool placeCoordinates(Resized &dim, const ResizeSettings &settings)
{
    if (!dim.scaleKnown || build::isUnknown(dim.output))
        return false;
    const Dim p = dim.scale.over, q = dim.scale.under;
    const std::string &mode = settings.coordinates;
    if (p == q && dim.input == dim.output &&
        !(settings.crops() && (dim.start != 0 || dim.end != 1))) {
        // Unchanged, also in modes that would shift by half an element.
    } else if (mode == "asymmetric") {
        dim.factor = q;
        dim.divisor = p;
    } else if (mode == "tf_half_pixel_for_nn") {
        dim.factor = q * Dim(2);
        dim.offset = q;
        dim.divisor = p * Dim(2);
    } else if (mode == "align_corners") {
        // Use the resized length before rounding down, like ONNX's reference.
        dim.factor = (dim.input - Dim(1)) * q;
        dim.divisor = p * dim.input - q;
    } else if (mode == "tf_crop_and_resize") {
        const auto start = exactly(dim.start), end = exactly(dim.end);
        if (!start || !end || !dim.input.isConstant() || !dim.output.isConstant())
            return false;
        const std::int64_t both = std::lcm(start->under, end->under);
        const Dim first = start->over * (both / start->under),
                  last = end->over * (both / end->under);
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
        const std::int64_t common =
            std::gcd(std::gcd(dim.factor.value(), dim.offset.value()), dim.divisor.value());
        dim.factor = dim.factor.value() / common;
        dim.offset = dim.offset.value() / common;
        dim.divisor = dim.divisor.value() / common;
    }
    return true;
}

} // namespace

Result<ResizeSettings> resizeSettings(const Call &call)
{
    const Attributes &a = call.attributes();
    ResizeSettings s{a.text("mode", "nearest"),
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
    constexpr std::string_view nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                            "ceil"};
    constexpr std::string_view policies[] = {"stretch", "not_larger", "not_smaller"};
    if (!contains(modes, s.mode))
        return call.refuse("mode \"" + s.mode + "\" is not nearest, linear or cubic");
    if (!contains(coordinates, s.coordinates))
        return call.refuse("unknown coordinate_transformation_mode \"" + s.coordinates + "\"");
    if (!contains(nearest, s.nearest))
        return call.refuse("unknown nearest_mode \"" + s.nearest + "\"");
    if (!contains(policies, s.policy))
        return call.refuse("unknown keep_aspect_ratio_policy \"" + s.policy + "\"");
    return s;
}

Result<Resizing> resizingOf(const Call &call, const ResizeSettings &settings)
{
    GL_TRY_CONST(axes, resizedAxes(call));
    const bool byScales = isGiven(call, 2), bySizes = isGiven(call, 3);
    if (byScales == bySizes)
        return call.refuse(byScales ? "has both scales and sizes" : "has neither scales nor sizes");
    const std::size_t given = byScales ? 2 : 3;
    if (call.rank(given) != 1)
        return call.refuse("its scales or sizes must have one dimension, but have shape " +
                           text(call.shape(given)));
    Resizing resizing;
    std::vector<Resized> &dims = resizing.dims;
    dims.resize(call.rank(0));
    for (std::size_t d = 0; d < dims.size(); ++d)
        dims[d].input = dims[d].output = call.shape(0)[d];
    const auto region = settings.crops() && call.has(1) ? call.reals(1) : std::nullopt;
    const bool known = byScales ? call.reals(2).has_value() : call.values(3).has_value();
    if (!known || (settings.crops() && !region && byScales)) { // the extents depend on the region
        for (const int axis : *axes)
            dims[std::size_t(axis)].output = unknownExtent();
        resizing.unknown = "its scales, sizes or region are computed at run time";
        return resizing;
    }
    if (region) {
        GL_TRY(checkCount(call, "numbers for its region", region->size(), 2 * axes->size()));
        for (std::size_t i = 0; i < axes->size(); ++i) {
            dims[std::size_t((*axes)[i])].start = (*region)[i];
            dims[std::size_t((*axes)[i])].end = (*region)[i + axes->size()];
        }
    }
    GL_TRY_CONST(read, byScales ? readScales(call, settings, *axes, dims)
                                : readSizes(call, settings, *axes, dims));
    if (settings.crops() && !region)
        resizing.unknown = "its region is computed at run time";
    for (Resized &dim : dims)
        if (resizing.unknown.empty() && !placeCoordinates(dim, settings))
            resizing.unknown = "its positions in the input are known only at run time";
    return resizing;
}

} // namespace graphloom::build
