// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Joins the nests of a block. For example, Transpose(Relu(Add(Conv(x, W), b))) comes from the
/// descriptions of its operators as four nests:
///
///     c[n,o,h,w] = sum i,r,s: x[n,i,h+r,w+s] * W[o,i,r,s]      a reduction
///     d[n,o,h,w] = c[n,o,h,w] + b[o]
///     e[n,o,h,w] = max(d[n,o,h,w], 0)
///     y[n,h,w,o] = e[n,o,h,w]                                  a movement
///
/// 1. What is computed element by element goes into its reader: e's body becomes max(c + b[o], 0), d
///    is needed by nobody and goes.
/// 2. The movement reads e at the inverse of its store's map, which nobody else reads: y's store takes
///    its place, y[n,h,w,o] = max(c[n,o,h,w] + b[o], 0).
/// 3. What reads a reduction at the points where it is computed becomes its epilogue: one nest is
///    left, which stores y[n,h,w,o] = max(sum + b[o], 0).
///
/// Had e two readers, or y = MatMul(e, V), e would stay in memory: a reduction that is computed again
/// for each of its reads costs more than writing and reading it.
///
/// What only moves elements or computes each by itself goes into its readers, or into
/// the reduction that it reads. What nobody needs afterwards goes. A tensor stays in memory where
/// its readers would compute indices for longer than it takes to write and read it, and where these
/// would become too long (BlockNests::stored). The steps grow linearly with the block. False when
/// stopped.
bool fuseNests(BlockNests &block, Steps &steps);

} // namespace graphloom
