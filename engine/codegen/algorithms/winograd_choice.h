// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// A way to compute a convolution: F(m x m, 3 x 3), or directly where m is 0.
struct WinogradCost {
    int m = 0;
    double cycles = 0; // estimated, of one core
};

/// What the ways to compute the nest cost by an estimate of multiply-adds and of bytes that go
/// through memory, the best first. Empty where there is nothing to choose.
std::vector<WinogradCost> winogradCosts(const Nest &nest, const std::vector<BlockTensor> &tensors);

/// The best m by that estimate; 0: direct.
int chosenWinograd(const Nest &nest, const std::vector<BlockTensor> &tensors);

} // namespace graphloom
