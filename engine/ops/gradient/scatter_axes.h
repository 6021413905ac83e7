// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/gradient/scatter.h"

#include <vector>

namespace graphloom {

/// How an index of a scatter's target is solved.
enum class Way {
    Constant, // it has no axes, and the dimension one element
    Direct,   // its axes count the dimension's elements: they stay as they are
    Digits,   // the same in a part of the dimension: by division and remainder
    Decoded,  // it is a digit of a position that it shares with other dimensions
    Shift,    // for one axis with coefficient 1 or -1
    Divided,  // for one axis with another coefficient; tests whether that divides
    Phase,    // for one axis, for each remainder by its coefficient on its own
    Table,    // all points are listed by where they go
    Match,    // not at all: every point is tested
};

/// The axes of a gather, and what those of the scatter are in terms of them.
struct Solution {
    std::vector<Axis> axes; // the dimensions of the target, then reductions
    IndexMap write;
    std::vector<Index> images;    // of the scatter's axes
    std::vector<int> guarded;     // axes of the scatter whose images may leave their extents
    std::vector<Expr> conditions; // over the new axes
    std::vector<std::pair<Index, int>>
        matches;          // new index, dimension of the target that must equal it
    bool isEmpty = false; // nothing goes there: all elements are 0
};

/// Chooses ways and solves.
class ScatterAxes {
public:
    /// Dimensions listed in `matched` are not solved.
    ScatterAxes(const Scatter &scatter, const Shape &shape, const std::vector<bool> &matched);

    const std::vector<Way> &ways() const { return m_ways; }
    const Index &index(std::size_t dimension) const { return m_indices[dimension]; }
    /// Does a dimension determine the axis?
    bool isSolved(int axis) const { return m_solvedBy[std::size_t(axis)] >= 0; }
    int solvedBy(int axis) const { return m_solvedBy[std::size_t(axis)]; }

    /// One for each combination of phases.
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
