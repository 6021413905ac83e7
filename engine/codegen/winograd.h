// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nest.h"

#include <span>

namespace graphloom {

/// F(m x m, 3 x 3) of Lavin and Gray (Fast Algorithms for Convolutional Neural Networks, 2016),
/// m = 2 or 4: m*m results take (m+2)*(m+2) multiplications instead of 9*m*m.

/// A convolution with constant weights, a window of 3 x 3, strides and dilations of 1, no groups.
bool isWinogradCandidate(const Nest &nest, const std::vector<BlockTensor> &tensors);

/// The nest by three: the input's tiles transformed, a matrix product for each of the (m+2)*(m+2)
/// positions in a tile, and the results transformed back, with the nest's own stores behind.
/// Transformed weights are constants. Requires isWinogradCandidate().
BlockNests withWinograd(const BlockNests &block, int nest, int m);

/// Which m is best by an estimate of multiply-adds and of bytes that go through memory; 0: direct.
int chosenWinograd(const Nest &nest, const std::vector<BlockTensor> &tensors);

} // namespace graphloom
