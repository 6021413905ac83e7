// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/ops/derive/analysis.h"

#include <QColor>
#include <QPalette>

#include <array>
#include <vector>

namespace graphloom {

/// The colours of the window, from resources/themes/<name>.json.
struct Theme {
    bool dark = false;
    QPalette palette;
    QColor border, error, warning, success;
    struct Canvas {
        QColor background, edge, edgeIn, edgeOut, nodeText, nodeDim, nodeBorder, terminal,
            selection, match, groupText, groupBorder, collapsed;
    } canvas;
    std::array<QColor, 6> classes;  // by OperatorClass
    std::array<QColor, 6> mappings; // by MappingType: borders and chips of fusion blocks
    std::vector<QColor> groups;     // backgrounds of subgraphs, in turn
    std::vector<QColor> series;     // of charts
    /// Of tensors in memory: by MemoryTimeline::Class, then weights, then what is of no tensor.
    std::array<QColor, 7> tensors;
    std::vector<QColor> heat;       // from cold to hot, in steps of lightness
    std::vector<QColor> categories; // of nodes by their words, in turn

    const QColor &of(OperatorClass operatorClass) const
    {
        return classes[std::size_t(operatorClass)];
    }
    const QColor &of(MappingType mapping) const { return mappings[std::size_t(mapping)]; }
    /// The ground of a block's box, which its nodes are drawn on.
    QColor groundOf(MappingType mapping) const;
    /// A block that is drawn as one node.
    QColor fillOf(MappingType mapping) const;
    /// Between the colours of `heat`; 0 cold, 1 hot. Lightness alone tells it, whatever colours
    /// somebody sees.
    QColor heatOf(double part) const;
    const QColor &ofGroup(std::uint32_t index) const { return groups[index % groups.size()]; }
};

/// Black or white, whichever can be read better on the ground: contrast is 4.5 at least.
QColor textOn(const QColor &ground);

/// Reads ":/themes/<name>.json". Fails (Fault) naming the colour that is missing or no colour.
Result<Theme> loadTheme(const QString &name);

} // namespace graphloom
