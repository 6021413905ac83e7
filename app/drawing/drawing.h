// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/visible_graph.h"
#include "app/layout/adjacency.h"
#include "app/layout/layout.h"

#include <QPainterPath>
#include <QRectF>

#include <optional>

namespace graphloom {

/// Finds what lies in a part of the scene: a grid over the bounds.
class SpatialIndex {
public:
    SpatialIndex() = default;
    explicit SpatialIndex(const QRectF &bounds);

    void insert(std::uint32_t index, const QRectF &rect);
    /// Candidates for the rectangle, ascending, each once.
    std::vector<std::uint32_t> in(const QRectF &rect) const;

private:
    struct Range {
        int left, top, right, bottom;
    };
    Range cellsOf(const QRectF &rect) const;

    QRectF m_bounds;
    double m_cell = 512;
    int m_columns = 0, m_rows = 0;
    std::vector<std::vector<std::uint32_t>> m_cells;
};

/// A laid out picture of the plan, ready to be painted from any thread: geometry and texts,
/// no colours. Immutable once made.
struct Drawing {
    SnapshotPointer snapshot;
    ViewOptions options;
    bool connected = true; // of a focus on ways: there are some
    VisibleGraph graph;
    QRectF bounds;
    std::vector<QRectF> nodes, groups;
    std::vector<QPainterPath> edges;       // empty for stubs
    std::vector<QRectF> outStubs, inStubs; // by node, null where none
    std::vector<QString> outStubText, inStubText;
    std::vector<std::uint32_t> ranks; // by node
    layout::Adjacency below, above;   // edges by their source and by their target
    SpatialIndex nodeIndex, edgeIndex, groupIndex;

    /// The item at a place; nodes before groups.
    Item itemAt(const QPointF &place) const;
    /// The rectangle of an item: its node, the collapsed group around it, its box; for a
    /// group without one what is around its nodes; of a tensor inside that of what writes it.
    std::optional<QRectF> rectOf(const Item &item) const;
    /// Where the arrow keys lead from an item: along the first edge down or up, to the
    /// neighbour left or right on the same height. None when there is nothing.
    enum class Direction { Up, Down, Left, Right };
    Item neighbour(const Item &item, Direction direction) const;
};
using DrawingPointer = std::shared_ptr<const Drawing>;

/// Lays the plan out. Null when stopped.
DrawingPointer draw(SnapshotPointer snapshot, ViewOptions options, std::stop_token stop);

/// The drawing of a given layout, such as one made by Graphviz.
DrawingPointer drawingOf(SnapshotPointer snapshot, ViewOptions options, VisibleGraph graph,
                         const layout::Layout &layout, bool connected = true);

/// The input of a layout, with sizes of nodes and boxes that fit the texts.
layout::Input layoutInputOf(const VisibleGraph &graph);

/// The room that the title of a subgraph's box takes, with its margins.
double groupTitleWidth(const VisibleGraph::Group &group);

/// Sizes in the scene that layout and painting share, in pixels at 100 %.
namespace metrics {
inline constexpr int titlePixels = 13, subtitlePixels = 11, groupPixels = 12, stubPixels = 10;
inline constexpr double nodeHeight = 42, nodePadding = 12, leastNodeWidth = 84, corner = 5;
inline constexpr double groupMargin = 10, groupGap = 8; // beside the title, and between its parts
} // namespace metrics

} // namespace graphloom
