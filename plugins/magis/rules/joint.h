// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dim.h"

#include <optional>
#include <span>

namespace graphloom::magis {

/// How tensors are put together into one, and are parts of it: one behind the other along a
/// dimension, or as the slices of a new outermost dimension. Slices lie together in memory, so that
/// taking them apart again moves nothing.
struct Joint {
    int dim = -1;
    /// Of a stack: the rank of the slices, which get leading dimensions of extent 1 to have it. -1:
    /// no stack.
    int rank = -1;

    static Joint along(int dim) { return {dim, -1}; }
    static Joint stack(int rank) { return {-1, rank}; }
    bool isStack() const { return rank >= 0; }
    /// The dimension of the whole that its parts follow each other along.
    int dimOfWhole() const { return isStack() ? 0 : dim; }
    bool operator==(const Joint &) const = default;
};

/// The shape with leading dimensions of extent 1.
Shape padded(const Shape &shape, int rank);
/// The shape of the whole; none where the parts do not fit together.
std::optional<Shape> joinedShape(std::span<const Shape> parts, const Joint &joint);

} // namespace graphloom::magis
