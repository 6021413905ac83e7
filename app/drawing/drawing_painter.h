// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "app/metrics/node_metric.h"
#include "app/style/theme.h"

#include <QPainter>

#include <stop_token>

namespace graphloom {

/// What nodes are coloured by.
enum class NodeColours { OperatorClass, Subgraph };

struct Colouring {
    NodeColours by = NodeColours::OperatorClass;
    MetricPointer metric; // where it knows a node, in place of that
    MetricRange range;    // of its colours

    Colouring(NodeColours nodes = NodeColours::OperatorClass, MetricPointer values = nullptr,
              MetricRange scale = {})
        : by(nodes), metric(std::move(values)), range(scale)
    {
    }
    bool operator==(const Colouring &) const = default;
};

struct PaintOptions {
    Colouring colours;
    double scale = 1;          // device pixels per scene unit: decides about details
    std::stop_token stop = {}; // the picture is not wanted any more
};

/// Paints the part of a drawing that lies in `exposed` (scene coordinates, which the painter is
/// set up for), without the background. May be called from any thread.
void paintDrawing(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const PaintOptions &options);

/// What a value of a metric is painted in.
QColor colourOf(const NodeMetric &metric, double value, const MetricRange &range,
                const Theme &theme);

/// The fill of a node.
QColor fillOf(const Drawing &drawing, std::uint32_t node, const Theme &theme,
              const Colouring &colours);

} // namespace graphloom
