// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/linear.h"
#include "engine/rewrite/terms/builder.h"

namespace graphloom::dnnfusion {

/// Describes the function y * scale + shift, with constants that run along one dimension of y or
/// are single numbers.
struct Affine {
    TensorId scale, shift; // invalid where there is none
    int along = ParameterDimension::whole;
};

/// Returns the constants reshaped to run along one dimension of a tensor of the given rank; a
/// single constant becomes a scalar.
TensorId placed(Builder &b, TensorId constants, int dimension, std::size_t rank);

/// Returns the linear call with the affine function folded into its constants. Returns nothing if
/// the constants do not allow it. Weights that other calls read as well are not copied, unless they
/// are small. Afterwards the builder may hold calls that are not used.
std::optional<TensorId> absorbed(const Terms &terms, Builder &b, NodeId linear,
                                 const Affine &affine);

/// Returns the value times a number, with the factor moved upstream into a call with weights, at
/// most `depth` calls up, through calls that only move elements and through biases. Returns nothing
/// if there is no such call.
std::optional<TensorId> scaledUpstream(const Terms &terms, Builder &b, TensorId value,
                                       TensorId factor, int depth);

} // namespace graphloom::dnnfusion
