// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/gradient/scatter.h"

#include <vector>

namespace graphloom {

/// Tells how an index of a scatter's target is solved.
enum class Way {
    Constant, // the index has no axes, and the dimension has one element
    Direct,   // its axes count the dimension's elements and stay as they are
    Digits,   // its axes count a part of them: solved by division and remainder
    Decoded,  // it is a digit of a position that several dimensions share
    Shift,    // solved for one axis with coefficient 1 or -1
    Divided,  // solved for one axis with another coefficient, if that divides
    Phase,    // solved for one axis, separately for each remainder by its coefficient
    Table,    // all points are listed by their target
    Match,    // not solved: every point is tested
};

/// Holds the axes of a gather, and the axes of the scatter in terms of them.
struct Solution {
    std::vector<Axis> axes; // the dimensions of the target, then reductions
    IndexMap write;
    std::vector<Index> images;    // of the scatter's axes
    std::vector<int> guarded;     // axes of the scatter whose images may leave their extents
    std::vector<Expr> conditions; // over the new axes
    std::vector<std::pair<Index, int>>
        matches;          // new index, dimension of the target that must equal it
    bool isEmpty = false; // no point goes there: all elements are 0
};

/// Chooses a way for each dimension of the target and solves the map.
class ScatterAxes {
public:
    /// Chooses the ways; dimensions set in `matched` are not solved.
    ScatterAxes(const Scatter &scatter, const Shape &shape, const std::vector<bool> &matched);

    const std::vector<Way> &ways() const { return m_ways; }
    const Index &index(std::size_t dimension) const { return m_indices[dimension]; }
    /// Tells whether a dimension determines the axis.
    bool isSolved(int axis) const { return m_solvedBy[std::size_t(axis)] >= 0; }
    int solvedBy(int axis) const { return m_solvedBy[std::size_t(axis)]; }

    /// Returns one solution for each combination of phases.
    std::vector<Solution> solutions() const;

private:
    bool isFree(const Index &index) const;
    std::optional<Dim> countOf(const Index &index) const;
    void chooseDirect(std::size_t d);
    void chooseDecoded(const std::vector<bool> &matched);
    Way chosen(std::size_t d);
    Way chosenWindow(std::size_t d);
    bool fitsTable(std::size_t d) const;
    void claim(std::size_t d);
    void keep(std::size_t d);
    friend class SolutionBuilder;

    const Scatter &m_scatter;
    const Shape &m_shape;
    std::vector<Index> m_indices; // tidied
    std::vector<Way> m_ways;
    std::vector<int> m_solvedBy; // dimension, by axis
    std::vector<bool> m_kept;    // axes that are to stay reductions
    std::vector<int> m_axis;     // the one that a dimension is solved for
    Index m_position;            // of Decoded dimensions
};

} // namespace graphloom
