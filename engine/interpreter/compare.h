// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"

#include <optional>
#include <string>

namespace graphloom {

/// Describes how a tensor differs from the expected one.
struct Comparison {
    double maxAbsError = 0;
    /// maxAbsError relative to the scale of the expected tensor: its greatest finite magnitude, or
    /// leastScale if that is greater.
    double maxRelError = 0;
    /// Tells whether every element differs by at most 1e-7 + 1e-3 * |expected|, as ONNX's backend
    /// tests require; for bfloat16, which the tests truncate instead of rounding, by at most 2^-7 *
    /// |expected|.
    bool withinBackendTolerance = true;
    /// Number of elements of the expected tensor that are neither NaN nor infinite, or of numbers
    /// where an element has two. 0 if the form differs.
    std::int64_t finite = 0;
    /// Number of elements that differ at all, or of numbers where an element has two. 0 if the form
    /// differs.
    std::int64_t different = 0;
    /// Sums of squares: of the finite expected elements, and of the differences, which is infinite
    /// if one of these is. 0 for strings.
    double signal = 0, noise = 0;
    /// The place of the greatest difference, with both values, or a note that type or extents
    /// differ; empty if the tensors are equal.
    std::string worst;

    static constexpr double leastScale = 1e-3;
};

/// Compares two tensors. Unequal integers, bools and strings, another type and other extents count
/// as infinite errors, and so does NaN against a number; NaN equals NaN, and infinity equals the
/// same infinity.
Comparison compare(const TensorData &expected, const TensorData &actual);
/// Compares values of any kind, element by element. Sequences of different lengths, and optionals
/// of which only one is empty, differ infinitely.
Comparison compare(const DataValue &expected, const DataValue &actual);
/// Returns the ratio of signal and noise in decibels: infinite if nothing differs, -infinite if a
/// number meets NaN or nothing is left of the signal. Nothing for strings that differ, and for
/// values of another form.
std::optional<double> signalToNoise(const Comparison &comparison);
/// Describes how kind, type or extents differ from the expected ones; empty if they do not.
std::string differenceOfForm(const DataValue &expected, const DataValue &actual);

} // namespace graphloom
