// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Describes a way to compute a convolution: F(m x m, 3 x 3), or directly if m is 0.
struct WinogradCost {
    int m = 0;
    double cycles = 0; // estimated, on one core
};

/// Returns the estimated costs of the ways to compute the nest with vectors of `lanes`, by
/// multiply-adds and bytes that go through memory, the best first. Empty if there is no choice.
std::vector<WinogradCost> winogradCosts(const Nest &nest, const BlockTensors &tensors, int lanes);

/// Returns the best m by that estimate; 0: direct.
int chosenWinograd(const Nest &nest, const BlockTensors &tensors, int lanes);

} // namespace graphloom
