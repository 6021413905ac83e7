// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace recount {

/// Returns the input whose elements the node's only output holds, all of them, unchanged and in
/// row-major order, so that the output needs no memory of its own; -1 if there is none.
int viewed(const Program &program, const Node &node);

/// Tells whether each element of the node's results depends only on the element of the input at the
/// same position, so that a result may overwrite the input.
bool isElementwise(const Program &program, const Node &node, std::size_t input);

/// Returns the distance in bytes from the beginning of a Slice's first input to its output, if the
/// output is contiguous in it, or -1 otherwise.
std::int64_t sliceOffset(const Program &program, const Node &node);

/// Tells whether a tensor stays contiguous where it is joined with others along an axis.
bool isPieceAlong(const Tensor &part, std::size_t axis);

/// Returns the axis of a Concat, counted from the front.
std::size_t concatAxis(const Program &program, const Node &node);

} // namespace recount
