// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <set>

/// What the parts of analysis.h ask of a stage.
namespace graphloom {

inline bool runsOnce(const Axis &axis)
{
    return axis.extent == Dim(1);
}
inline bool isReduction(const Axis &axis)
{
    return axis.kind == Axis::Kind::Reduce && !runsOnce(axis);
}

/// All axes that an index or map depends on, through lookups as well.
void collectAxes(const Stage &stage, const Index &index, std::set<int> &axes, int depth = 0);
std::set<int> axesOf(const Stage &stage, const IndexMap &map);
/// Axes of one dimension that run more than once, outermost (largest coefficient) first.
std::vector<int> factorsOf(const Index &index, const std::vector<Axis> &axes);

/// Do two points of the axes ever share a value of this index, as sliding windows do?
bool overlaps(const Index &index, const std::vector<Axis> &axes);

/// The reads that an expression loads.
void collectLoads(const Expr::Node &node, std::set<int> &reads);
/// The reads whose elements matter to the stage: loaded, or looked up in.
std::set<int> loadedReads(const Stage &stage);

bool sameMap(const IndexMap &a, const IndexMap &b);
/// Does the stage write to where data say?
bool scatters(const Stage &stage);
/// The function of two values by which points are gathered; none where positions are gathered, or
/// nothing is.
std::optional<Fn> functionOf(Combine combine);
/// Of a stage that scatters: may two points of the axis write the same element?
bool sharesElements(const Stage &stage, int axis);
/// What a stage does that scatters by value[write] = combine(value[write], update).
struct Accumulation {
    Combine combine;
    Expr update;
};
std::optional<Accumulation> accumulationOf(const Stage &stage);

/// Does the stage gather up a sum of products of two reads?
bool sumsProducts(const Stage &stage);
/// Does the value of an expression depend on the axes, or on where its reads point, besides what it
/// loads?
bool dependsOnPosition(const Expr &expr);
/// How many scalar operations an expression has; casts and tables do not count.
int operationsOf(const Expr &expr);

} // namespace graphloom
