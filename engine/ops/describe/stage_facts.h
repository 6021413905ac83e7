// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <set>

/// Declares facts of a stage that the parts of analysis.h need.
namespace graphloom {

inline bool runsOnce(const Axis &axis)
{
    return axis.extent == Dim(1);
}
inline bool isReduction(const Axis &axis)
{
    return axis.kind == Axis::Kind::Reduce && !runsOnce(axis);
}

/// Collects all axes that an index or map depends on, including those used by lookups.
void collectAxes(const Stage &stage, const Index &index, std::set<int> &axes, int depth = 0);
std::set<int> axesOf(const Stage &stage, const IndexMap &map);
/// Returns the axes of one dimension that run more than once, outermost (largest coefficient)
/// first.
std::vector<int> factorsOf(const Index &index, const std::vector<Axis> &axes);

/// Tells whether two points of the axes ever share a value of this index, as sliding windows do.
bool overlaps(const Index &index, const std::vector<Axis> &axes);

/// Collects the reads that an expression loads.
void collectLoads(const Expr::Node &node, std::set<int> &reads);
/// Returns the reads whose elements matter to the stage: those loaded and those used by lookups.
std::set<int> loadedReads(const Stage &stage);

bool sameMap(const IndexMap &a, const IndexMap &b);
/// Tells whether the stage writes to positions that depend on data.
bool scatters(const Stage &stage);
/// Returns the function of two values by which points are combined, or nothing if positions are, or
/// there is no reduction.
std::optional<Fn> functionOf(Combine combine);
/// Tells, for a stage that scatters, whether two points of the axis may write the same element.
bool sharesElements(const Stage &stage, int axis);
/// Describes what a stage does that scatters by value[write] = combine(value[write], update).
struct Accumulation {
    Combine combine;
    Expr update;
};
std::optional<Accumulation> accumulationOf(const Stage &stage);

/// Tells whether the stage sums products of two reads.
bool sumsProducts(const Stage &stage);
/// Says what a stage computes for each of its points. A sum over choices between a value and 0, one
/// for each looked-up position (the gradient of an embedding), counts as the value, once for each
/// position.
struct StageWork {
    Expr body;
    std::set<int> skipped; // axes that are looked up, over which nothing is repeated
};
StageWork workOf(const Stage &stage);

/// Tells whether the value of an expression depends on the axes, or on where its reads point,
/// besides the elements that it loads.
bool dependsOnPosition(const Expr &expr);
/// Returns the number of scalar operations of an expression; casts and tables do not count.
int operationsOf(const Expr &expr);
/// Returns the number of elementary functions among them: roots, exponentials, powers and the like,
/// which take a processor several operations.
int functionsOf(const Expr &expr);

} // namespace graphloom
