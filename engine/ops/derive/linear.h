// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

/// Declares functions that tell from the stages how results depend on parameters, so that
/// normalizations and factors that follow a convolution or a matrix product can be folded into its
/// weights.
namespace graphloom {

/// Names one dimension of an input, or the input as a whole.
struct ParameterDimension {
    static constexpr int whole = -1;
    int input = 0, dimension = whole;
    bool operator==(const ParameterDimension &) const = default;
};

/// Returns the inputs that have to be scaled so that output 0 is scaled: the parameter, and what is
/// added to it or to the result (a bias). `along` is the dimension of the output that the factors
/// run along; the result says which dimension of each input that is. With `whole`, all elements
/// have the same factor. Returns nothing if the output is not linear in the parameter, or an input
/// lacks the dimension.
std::optional<std::vector<ParameterDimension>> scaledWith(const Description &description,
                                                          int parameter, int along);

/// Returns the dimension of input `addend` that runs along dimension `along` of output 0, if the
/// input is added to the output unchanged, once to each element; nothing otherwise.
std::optional<int> addedAlong(const Description &description, int addend, int along);

/// Tells whether output 0 depends on the input by sums of its elements times something: f(c * x) =
/// c * f(x).
bool isLinearIn(const Description &description, int input);

} // namespace graphloom
