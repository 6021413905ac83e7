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
/// 1. A nest that computes element by element goes into its reader: e's body becomes
///    max(c + b[o], 0), and d, which nothing reads any more, is removed.
/// 2. The movement reads e, which has no other reader, at the inverse of its store's map: y's store
///    takes its place, y[n,h,w,o] = max(c[n,o,h,w] + b[o], 0).
/// 3. A nest that reads a reduction at the points where it is computed becomes its epilogue: one
///    nest is left, which stores y[n,h,w,o] = max(sum + b[o], 0).
///
/// If e had two readers, or y were MatMul(e, V), e would stay in memory: computing a reduction
/// again for each of its reads costs more than writing and reading it.
///
/// Nests that only move elements or compute each by itself go into their readers, or into the
/// reduction that they read. Nests that nothing needs afterwards are removed. A tensor stays in
/// memory if its readers would compute indices for longer than it takes to write and read it, or if
/// the indices would become too long (BlockNests::stored). The steps grow linearly with the block.
/// Returns false if stopped.
bool fuseNests(BlockNests &block, Steps &steps);

} // namespace graphloom
