// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace recount {

/// The input whose elements the node's only output holds, all of them, unchanged and in their
/// row-major order, so that it needs no memory of its own; -1: none.
int viewed(const Program &program, const Node &node);

/// Does each element of the node's results depend on the element of the input at the same place and
/// on no other one of it, so that a result may be written over it?
bool isElementwise(const Program &program, const Node &node, std::size_t input);

/// Bytes from where its first input begins to where the output of a Slice does, if that is one
/// piece of it; -1 otherwise.
std::int64_t sliceOffset(const Program &program, const Node &node);

/// Is a tensor in one piece where it is joined with others along an axis?
bool isPieceAlong(const Tensor &part, std::size_t axis);

/// The axis of a Concat, counted from the front.
std::size_t concatAxis(const Program &program, const Node &node);

} // namespace recount
