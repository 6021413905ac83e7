// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"

#include <string>

namespace graphloom {

/// How a tensor differs from the expected one.
struct Comparison {
    double maxAbsError = 0;
    /// maxAbsError relative to the scale of the expected tensor: its greatest finite magnitude,
    /// or leastScale where that is greater.
    double maxRelError = 0;
    /// Every element differs by at most 1e-7 + 1e-3 * |expected|, as ONNX's backend tests ask;
    /// of bfloat16, which the tests cut off instead of rounding it, by 2^-7 * |expected|.
    bool withinBackendTolerance = true;
    /// Elements of the expected tensor that are numbers and not infinite.
    std::int64_t finite = 0;
    /// Where they differ most, with both values; or that type or extents differ. Empty when equal.
    std::string worst;

    static constexpr double leastScale = 1e-3;
};

/// Integers, bools and strings that differ, another type or other extents are infinite errors,
/// and so is NaN against a number; NaN equals NaN, infinity equals the same infinity.
Comparison compare(const TensorData &expected, const TensorData &actual);
/// The same for values of any kind, element by element: sequences of other lengths and optionals of
/// which one is empty differ infinitely.
Comparison compare(const DataValue &expected, const DataValue &actual);
/// How kind, type or extents differ from those that are expected; empty when they do not.
std::string differenceOfForm(const DataValue &expected, const DataValue &actual);

} // namespace graphloom
