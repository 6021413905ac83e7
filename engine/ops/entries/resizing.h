// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/build.h"

#include <optional>
#include <string>
#include <vector>

/// How Resize places the elements of its result in its input.
namespace graphloom::build {

/// A number as a fraction in lowest terms. Every float is one.
struct Fraction {
    std::int64_t over = 1, under = 1;
};

/// How one dimension is resized: position x of the result lies at (factor * x + offset) / divisor
/// of the input.
struct Resized {
    Dim input, output;
    Fraction scale;
    bool scaleKnown = true;    // for extents that are not known it may not be
    double start = 0, end = 1; // region of interest, in parts of the extent
    Dim factor = 1, offset = 0, divisor = 1;

    /// Every position falls on an element / on the element of the same number.
    bool isWhole() const { return divisor == Dim(1); }
    bool isSame() const { return isWhole() && factor == Dim(1) && offset == Dim(0); }
};

/// Attributes of Resize.
struct ResizeSettings {
    std::string mode, coordinates, nearest, policy;
    bool antialias, excludeOutside;
    double cubic, extrapolation;

    bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

Result<ResizeSettings> resizeSettings(const Call &call);

/// What is known of a call: all dimensions, and why positions are not known, if they are not.
struct Resizing {
    std::vector<Resized> dims;
    std::string unknown;
};

/// Reads scales, sizes, region and axes. Refuses (Model) what contradicts the input's shape, and
/// scales that are not positive.
Result<Resizing> resizingOf(const Call &call, const ResizeSettings &settings);

} // namespace graphloom::build
