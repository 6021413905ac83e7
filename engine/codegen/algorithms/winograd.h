// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

/// Implements Winograd's convolution F(m x m, 3 x 3) of Lavin and Gray (Fast Algorithms for
/// Convolutional Neural Networks, 2016), m = 2 or 4: m*m results take (m+2)*(m+2) multiplications
/// instead of 9*m*m.
///
/// Infinities and NaN spread: the transforms add multiples of the input's elements to one another,
/// so that one such element may turn all m*m results of a tile that reads it into NaN, including
/// those that a direct convolution computes without it. Finite results differ by rounding, those of
/// F(4x4, 3x3) by about two digits. Turn ScheduleTarget::winograd off to get the results of a
/// direct convolution.
namespace graphloom {

/// Tells whether a nest is a convolution with constant weights, a window of 3 x 3, strides and
/// dilations of 1, and no groups.
bool isWinogradCandidate(const Nest &nest, const BlockTensors &tensors);

/// Returns the block with the nest replaced by three: one transforms the tiles of the input, one
/// computes a matrix product for each of the (m+2)*(m+2) positions in a tile, and one transforms
/// the results back and ends with the nest's own stores. Transformed weights are constants.
/// Requires isWinogradCandidate().
BlockNests withWinograd(const BlockNests &block, NestIndex nest, int m);

} // namespace graphloom
