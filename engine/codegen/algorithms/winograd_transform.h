// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/algorithms/winograd_convolution.h"
#include "engine/ops/describe/expr.h"

namespace graphloom {

using WinogradMatrix = std::vector<std::vector<double>>;

/// Holds the transforms of F(m x m, 3 x 3), m = 2 or 4, with the names of Lavin and Gray (2016,
/// section 4).
struct WinogradTransforms {
    WinogradMatrix input, weights, output; // B^T, G, A^T
};
WinogradTransforms winogradTransforms(int m);

/// Holds matrix * tile * transposed matrix, with the tile and the result in row-major order, and
/// the elements of matrix * tile, column by column: each column needs only one of the tile.
struct TransformedTile {
    std::vector<Expr> elements, columns;
};
TransformedTile transformedTile(const WinogradMatrix &matrix, const std::vector<Expr> &tile);

/// Returns G w G^T of each 3 x 3 window, as [position][output][input].
TensorData transformedWeights(const Nest &nest, const WinogradConvolution &parts,
                              const BlockTensor &weights, int m);

} // namespace graphloom
