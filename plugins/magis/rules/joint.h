// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dim.h"

#include <optional>
#include <span>

namespace graphloom::magis {

/// Describes how tensors are joined into one, and are parts of it: one after the other along a
/// dimension, or as the slices of a new outermost dimension (a stack). Slices are contiguous in
/// memory, so that taking them apart again moves nothing.
struct Joint {
    int dim = -1;
    /// Rank of the slices of a stack; slices of lower rank get leading dimensions of extent 1. -1:
    /// not a stack.
    int rank = -1;

    static Joint along(int dim) { return {dim, -1}; }
    static Joint stack(int rank) { return {-1, rank}; }
    bool isStack() const { return rank >= 0; }
    /// Returns the dimension of the whole along which its parts follow each other.
    int dimOfWhole() const { return isStack() ? 0 : dim; }
    bool operator==(const Joint &) const = default;
};

/// Returns the shape extended to a rank by leading dimensions of extent 1.
Shape padded(const Shape &shape, int rank);
/// Returns the shape of the whole. Returns nothing if the parts do not fit together.
std::optional<Shape> joinedShape(std::span<const Shape> parts, const Joint &joint);

} // namespace graphloom::magis
