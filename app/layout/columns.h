// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layers.h"

#include <map>
#include <stop_token>

namespace graphloom::layout {

/// Vertical extent of a layer.
struct Band {
    double top = 0, bottom = 0;
};

/// Holds the vertical extents of the layers.
using Bands = IndexedVector<RankIndex, Band>;

/// Breaks a long drawing into columns. Each vertex keeps its place relative to its column.
class Columns {
public:
    /// Chooses breaks where few lines pass, so that the width of the whole drawing divided by its
    /// height comes close to `aspect` (0: one column). `x` holds the axes of the vertices. `bands`
    /// must outlive this object. When stopped, the breaks are the best ones so far.
    Columns(const Layers &layers, const IndexedVector<VertexIndex, double> &x, const Bands &bands,
            double aspect, const std::stop_token &stop = {});

    std::size_t count() const { return m_columns.size(); }
    /// Returns the offset by which everything at a rank moves.
    Point move(RankIndex rank) const { return m_columns[m_columnOf[rank]].move; }
    /// Returns the route from one column to the next for a line that leaves a vertex at the bottom
    /// of its column: down, through the gutter, up, and to `toX` above the next column. Returns an
    /// empty route when the vertex is not above a break. Both x already include the move of their
    /// column.
    Route connection(VertexIndex vertex, double fromX, double toX) const;

private:
    /// Counts the columns from the left.
    using ColumnIndex = TypedIndex<struct LayoutColumnTag>;
    struct Column {
        RankIndex first{0}, end{0};
        double left = 0, right = 0; // before the move
        Point move;
        std::map<VertexIndex, std::size_t> tracks; // tracks of lines to the next column
    };
    /// Breaks, and the extent of the columns that they make.
    struct Breaks {
        std::vector<RankIndex> ranks;
        double width = 0, height = 0;
    };
    Breaks breaksBelow(double height) const;
    double heightOf(RankIndex first, RankIndex end) const;
    std::vector<RankIndex> chooseBreaks(double aspect, const std::stop_token &stop) const;
    void spread();

    const Bands &m_bands;
    IndexedVector<RankIndex, Band> m_spans;          // horizontal extents: left and right
    IndexedVector<RankIndex, std::size_t> m_passing; // lines below each rank
    IndexedVector<ColumnIndex, Column> m_columns;
    IndexedVector<RankIndex, ColumnIndex> m_columnOf;
};

} // namespace graphloom::layout
