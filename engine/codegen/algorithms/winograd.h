// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// F(m x m, 3 x 3) of Lavin and Gray (Fast Algorithms for Convolutional Neural Networks, 2016),
/// m = 2 or 4: m*m results take (m+2)*(m+2) multiplications instead of 9*m*m.
///
/// Infinities and NaN spread: where an element of the input is one, the transforms add multiples of
/// it to one another, and up to all m*m results of a tile that reads it become NaN, also those that
/// a direct convolution computes without that element. Finite results differ by rounding, those of
/// F(4x4, 3x3) by about two digits. Whoever needs what a direct convolution gives turns
/// ScheduleTarget::winograd off.

/// A convolution with constant weights, a window of 3 x 3, strides and dilations of 1, no groups.
bool isWinogradCandidate(const Nest &nest, const std::vector<BlockTensor> &tensors);

/// The nest by three: the input's tiles transformed, a matrix product for each of the (m+2)*(m+2)
/// positions in a tile, and the results transformed back, with the nest's own stores behind.
/// Transformed weights are constants. Requires isWinogradCandidate().
BlockNests withWinograd(const BlockNests &block, int nest, int m);

} // namespace graphloom
