// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <optional>
#include <utility>
#include <vector>

/// Changing indices: other axes in place of those they are written with, and indices as values.
namespace graphloom {

/// Each axis at most once, none of one iteration, none with coefficient 0.
Index tidied(const Index &index, const std::vector<Axis> &axes);

/// The index with indices over other axes in place of its own: `images`, one for each of its axes,
/// without lookups. None where the result is no Index (a quotient times a number).
std::optional<Index> composed(const Index &index, const std::vector<Index> &images);

/// factor * index + offset, of an affine index.
Index scaled(Index index, const Dim &factor, const Dim &offset = 0);
/// Of affine indices.
Index plus(Index a, const Index &b);

/// The least and the most that an index without table and lookup can be; none where a coefficient's
/// sign is not known.
std::optional<std::pair<Dim, Dim>> boundsOf(const Index &index, const std::vector<Axis> &axes);
/// Is the index known to stay in 0…extent-1?
bool staysWithin(const Index &index, const std::vector<Axis> &axes, const Dim &extent);

/// The index as a 64-bit integer over the axes; `lookup` is the value of what it looks up, if it
/// does.
Expr exprOf(const Index &index, const Expr &lookup = {});
/// The expression over other axes.
Expr composed(const Expr &expr, const std::vector<Index> &images);

/// Where a position that may lie outside of a dimension counts; none where nothing is there.
std::optional<std::int64_t> placed(std::int64_t position, Read::Outside outside,
                                   std::int64_t extent);
/// The same as an expression; outside is nothing where it leaves the dimension by itself.
Expr placed(const Expr &position, Read::Outside outside, const Dim &extent);

} // namespace graphloom
