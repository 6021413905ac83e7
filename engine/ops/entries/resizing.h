// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/build.h"

#include <optional>
#include <string>
#include <vector>

/// Declares functions that place the elements of Resize's result in its input.
namespace graphloom::build {

/// Holds a number as a fraction in lowest terms. Every float is one.
struct Fraction {
    std::int64_t over = 1, under = 1;
};

/// Describes how one dimension is resized: position x of the result lies at (factor * x + offset) /
/// divisor of the input.
struct Resized {
    Dim input, output;
    Fraction scale;
    bool scaleKnown = true;    // may be false if extents are not known
    double start = 0, end = 1; // region of interest, as fractions of the extent
    Dim factor = 1, offset = 0, divisor = 1;

    /// Tell whether every position falls on an element, or on the element of the same number.
    bool isWhole() const { return divisor == Dim(1); }
    bool isSame() const { return isWhole() && factor == Dim(1) && offset == Dim(0); }
};

/// Holds the attributes of Resize.
struct ResizeSettings {
    std::string mode, coordinates, nearest, policy;
    bool antialias, excludeOutside;
    double cubic, extrapolation;

    bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

Result<ResizeSettings> resizeSettings(const Call &call);

/// Holds what is known of a call: all dimensions, and the reason if positions are not known.
struct Resizing {
    std::vector<Resized> dims;
    std::string unknown;
};

/// Reads scales, sizes, region and axes. Fails (Model) if they contradict the input's shape, or
/// scales are not positive.
Result<Resizing> resizingOf(const Call &call, const ResizeSettings &settings);

} // namespace graphloom::build
