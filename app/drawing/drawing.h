// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/visible_graph.h"
#include "app/layout/adjacency.h"
#include "app/layout/layout.h"
#include "engine/base/typed_index.h"

#include <QFont>
#include <QPainterPath>
#include <QRectF>

#include <optional>

namespace graphloom {

/// Finds what lies in a part of the scene, with a grid over the bounds.
class SpatialIndex {
public:
    SpatialIndex() = default;
    explicit SpatialIndex(const QRectF &bounds);

    void insert(std::uint32_t index, const QRectF &rect);
    /// Returns candidates for the rectangle, in ascending order, each once.
    std::vector<std::uint32_t> in(const QRectF &rect) const;

private:
    /// Counts the columns of cells from the left.
    using Column = TypedIndex<struct CellColumnTag>;
    /// Counts the rows of cells from the top.
    using Row = TypedIndex<struct CellRowTag>;
    struct Range {
        IndexRange<Column> columns;
        IndexRange<Row> rows;
    };
    Range cellsOf(const QRectF &rect) const;
    std::size_t cellAt(Column column, Row row) const
    {
        return std::size_t(row.number()) * std::size_t(m_columns) + std::size_t(column.number());
    }

    QRectF m_bounds;
    double m_cell = 512;
    int m_columns = 0, m_rows = 0;
    std::vector<std::vector<std::uint32_t>> m_cells;
};

/// A `Drawing` holds a graph that is laid out, ready to be painted from any thread: geometry and
/// texts, without colours. Immutable once made.
struct Drawing {
    SnapshotPointer snapshot;
    ViewOptions options;
    bool connected = true; // false: the focus asks for paths, but there are none
    VisibleGraph graph;
    QRectF bounds;
    std::vector<QRectF> nodes, groups;
    std::vector<double> titleWidths;       // by group, with margins, at 100 %
    std::vector<QPainterPath> edges;       // empty for stubs
    std::vector<QRectF> outStubs, inStubs; // by node, null if none
    std::vector<QString> outStubText, inStubText;
    std::vector<std::uint32_t> ranks; // by node
    layout::Adjacency below, above;   // edges by source, and by target
    SpatialIndex nodeIndex, edgeIndex, groupIndex;

    /// Returns the item at a place. Nodes take precedence over groups.
    Item itemAt(const QPointF &place) const;
    /// Returns the tensor whose edge is nearest to a place, within a distance, or nothing.
    std::optional<TensorId> tensorAt(const QPointF &place, double reach) const;
    /// Returns the rectangle of an item: its node, the collapsed group around it, or its box. For a
    /// group without a box, returns the rectangle around its nodes; for a tensor inside the graph,
    /// that of the node that writes it. Returns nothing when the item is not drawn.
    std::optional<QRectF> rectOf(const Item &item) const;
    /// Returns the item that an arrow key leads to: along the straightest edge down or up, or to
    /// the nearest neighbour left or right at the same height. Returns an empty item when there is
    /// none.
    enum class Direction { Up, Down, Left, Right };
    Item neighbour(const Item &item, Direction direction) const;
};
using DrawingPointer = std::shared_ptr<const Drawing>;

/// Lays out a graph. Returns null when stopped.
DrawingPointer draw(SnapshotPointer snapshot, ViewOptions options, std::stop_token stop);

/// Returns the drawing of a given layout, such as one made by Graphviz.
DrawingPointer drawingOf(SnapshotPointer snapshot, ViewOptions options, VisibleGraph graph,
                         const layout::Layout &layout, bool connected = true);

/// Returns the input of a layout, with sizes of nodes and boxes that fit the texts.
layout::Input layoutInputOf(const VisibleGraph &graph);

/// Returns the font of texts in a drawing that are this high.
QFont pixelFont(double pixels, bool bold = false);

/// Sizes that layout and painting share, in scene units: pixels at 100 %.
namespace metrics {
inline constexpr int titlePixels = 13, subtitlePixels = 11, groupPixels = 12, stubPixels = 10;
inline constexpr double nodeHeight = 42, nodePadding = 12, leastNodeWidth = 84, corner = 5;
inline constexpr double groupMargin = 10, groupGap = 8; // next to the title, and between its parts
inline constexpr double groupStrip = 26;                // at the top of a box, for its title
} // namespace metrics

} // namespace graphloom
