// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

/// How results depend on parameters, told from the stages: what normalizations and factors that
/// follow a convolution or a matrix product can be taken into its weights for.
namespace graphloom {

/// One dimension of an input, or the input as a whole.
struct ParameterDimension {
    static constexpr int whole = -1;
    int input = 0, dimension = whole;
    bool operator==(const ParameterDimension &) const = default;
};

/// The inputs that have to be scaled so that output 0 is scaled: the parameter, and what is added
/// to it or to the result (a bias). `along` is the dimension of the output that the factors run
/// along; the result says which dimension of each input that is. With `whole` all elements have one
/// factor. None where the output is not linear in the parameter, or an input lacks the dimension.
std::optional<std::vector<ParameterDimension>> scaledWith(const Description &description,
                                                          int parameter, int along);

/// Is input `addend` added to output 0 as it is, once to each element? Then its dimension that runs
/// along that of the output; none otherwise.
std::optional<int> addedAlong(const Description &description, int addend, int along);

/// Does output 0 depend on the input by sums of its elements times something: f(c * x) = c * f(x)?
bool isLinearIn(const Description &description, int input);

} // namespace graphloom
