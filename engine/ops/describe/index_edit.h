// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <optional>
#include <utility>
#include <vector>

/// Declares functions that change indices: they replace axes and turn indices into values.
namespace graphloom {

/// Returns the index with each axis at most once, without axes of one iteration and without
/// coefficients of 0.
Index tidied(const Index &index, const std::vector<Axis> &axes);

/// Returns the index with its axes replaced by indices over other axes: `images` holds one for each
/// axis, without lookups. Returns nothing if the result cannot be written as an Index (a quotient
/// times a number).
std::optional<Index> composed(const Index &index, const std::vector<Index> &images);

/// Returns factor * index + offset for an affine index.
Index scaled(Index index, const Dim &factor, const Dim &offset = 0);
/// Returns the sum of two affine indices.
Index plus(Index a, const Index &b);

/// Returns the least and the greatest value of an index without table and lookup, or nothing if the
/// sign of a coefficient is not known.
std::optional<std::pair<Dim, Dim>> boundsOf(const Index &index, const std::vector<Axis> &axes);
/// Tells whether the index is known to stay in 0…extent-1.
bool staysWithin(const Index &index, const std::vector<Axis> &axes, const Dim &extent);

/// Returns the index as a 64-bit integer over the axes; `lookup` is the value that it looks up, if
/// it does.
Expr exprOf(const Index &index, const Expr &lookup = {});
/// Returns the expression with its axes replaced by `images`, indices over other axes.
Expr composed(const Expr &expr, const std::vector<Index> &images);

/// Returns the position inside a dimension that stands for a position that may lie outside of it,
/// or nothing if there is none.
std::optional<std::int64_t> placed(std::int64_t position, Read::Outside outside,
                                   std::int64_t extent);
/// Returns the same as an expression. With Outside::Never and Outside::Value it is the position
/// itself, which may lie outside.
Expr placed(const Expr &position, Read::Outside outside, const Dim &extent);

} // namespace graphloom
