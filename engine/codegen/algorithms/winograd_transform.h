// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/winograd_convolution.h"

namespace graphloom {

using WinogradMatrix = std::vector<std::vector<double>>;

/// Of F(m x m, 3 x 3), m = 2 or 4, as Lavin and Gray (2016, section 4) name them.
struct WinogradTransforms {
    WinogradMatrix input, weights, output; // B^T, G, A^T
};
WinogradTransforms winogradTransforms(int m);

/// matrix * tile * transposed matrix; the tile by rows.
std::vector<Expr> transformedTile(const WinogradMatrix &matrix, const std::vector<Expr> &tile);

/// G w G^T of each 3 x 3 window, as [position][output][input].
TensorData transformedWeights(const Nest &nest, const WinogradConvolution &parts,
                              const BlockTensor &weights, int m);

} // namespace graphloom
