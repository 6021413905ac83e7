// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "app/metrics/node_metric.h"
#include "app/style/theme.h"

#include <QPainter>

#include <stop_token>

namespace graphloom {

/// Tells what nodes are coloured by.
enum class NodeColours { OperatorClass, Subgraph };

struct Colouring {
    NodeColours by = NodeColours::OperatorClass;
    MetricPointer metric; // takes precedence for nodes that have a value
    MetricRange range;    // range of its colours

    Colouring(NodeColours nodes = NodeColours::OperatorClass, MetricPointer values = nullptr,
              MetricRange scale = {})
        : by(nodes), metric(std::move(values)), range(scale)
    {
    }
    bool operator==(const Colouring &) const = default;
};

struct PaintOptions {
    Colouring colours;
    double scale = 1;          // device pixels per scene unit; determines the level of detail
    std::stop_token stop = {}; // requested when the picture is no longer wanted
    bool titles = true;        // of groups, in the size that they have at 100 %
};

/// Paints the part of a drawing that lies in `exposed`, without the background. `exposed` is in
/// scene coordinates, for which the painter is set up. May be called from any thread.
void paintDrawing(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const PaintOptions &options);

/// Returns the colour of a value of a metric.
QColor colourOf(const NodeMetric &metric, double value, const MetricRange &range,
                const Theme &theme);

/// Returns the fill colour of a node.
QColor fillOf(const Drawing &drawing, std::uint32_t node, const Theme &theme,
              const Colouring &colours);

/// Returns the colour of the ground of a group's box: that of a block's mapping type, subgraphs in
/// alternation, nested groups by depth.
QColor groundOf(const Drawing &drawing, std::uint32_t group, const Theme &theme);

} // namespace graphloom
