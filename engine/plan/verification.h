// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the result of comparing two models on the same inputs.
struct Verification {
    bool passed = false;
    /// False if nothing could be compared because all outputs depend on random numbers (see
    /// `message`); their types and extents agree.
    bool comparable = true;
    double maxAbsError = 0; // over all elements of all outputs; infinite when NaN meets a number
    double maxRelError = 0; // the same, each relative to its output's scale (compare.h)
    double tolerance = 0;   // the greatest maxRelError that passes
    std::size_t inputs = 0; // sets of input values that were run
    std::size_t filledWeights = 0;     // constants filled with random elements (verify.h)
    std::string message;               // empty when passed; else output, element and both values
    std::vector<std::string> warnings; // why a passed comparison proves less than it seems to
};

} // namespace graphloom
