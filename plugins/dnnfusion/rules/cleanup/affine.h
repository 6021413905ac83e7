// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/linear.h"
#include "engine/rewrite/terms/builder.h"

namespace graphloom::dnnfusion {

/// y * scale + shift, with constants that run along one dimension of y or are single numbers.
struct Affine {
    TensorId scale, shift; // invalid where there is none
    int along = ParameterDimension::whole;
};

/// The constants as a list along one dimension of a tensor of the rank; a single one as a number.
TensorId placed(Builder &b, TensorId constants, int dimension, std::size_t rank);

/// The linear call with the affine function taken into its constants; none where they do not allow
/// it. Weights that other calls read as well are not copied, unless they are small. The builder may
/// then hold calls that are not used.
std::optional<TensorId> absorbed(const Terms &terms, Builder &b, NodeId linear,
                                 const Affine &affine);

/// The value times a number, with the factor taken upstream to a call with weights, at most `depth`
/// calls up, through what only moves elements and through biases.
std::optional<TensorId> scaledUpstream(const Terms &terms, Builder &b, TensorId value,
                                       TensorId factor, int depth);

} // namespace graphloom::dnnfusion
