// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/ops/derive/mapping_type.h"

#include <QColor>
#include <QPalette>

#include <array>
#include <vector>

namespace graphloom {

/// Holds the colours of the window, from resources/themes/<name>.json.
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
    /// Colours of tensors in memory: by MemoryTimeline::Class, then weights, then memory of no
    /// tensor.
    std::array<QColor, 7> tensors;
    std::vector<QColor> heat;       // from cold to hot, in steps of lightness
    std::vector<QColor> balance;    // from negative over zero to positive, by steps of lightness
    std::vector<QColor> categories; // of nodes by category, in turn

    const QColor &of(OperatorClass operatorClass) const
    {
        return classes[std::size_t(operatorClass)];
    }
    const QColor &of(MappingType mapping) const { return mappings[std::size_t(mapping)]; }
    /// Returns the background of a block's box, on which its nodes are drawn.
    QColor groundOf(MappingType mapping) const;
    /// Returns the fill of a block that is drawn as one node.
    QColor fillOf(MappingType mapping) const;
    /// Returns a colour between those of `heat`, from 0 (cold) to 1 (hot). Lightness alone tells
    /// the value, so that it can be read with colour blindness, too.
    QColor heatOf(double part) const;
    /// Returns a colour between those of `balance`, from 0 (negative) over 0.5 (zero) to 1. The
    /// lightness tells the magnitude, the hue the sign.
    QColor balanceOf(double part) const;
    const QColor &ofGroup(std::uint32_t index) const { return groups[index % groups.size()]; }
};

/// Returns black or white, whichever is easier to read on a background. The contrast is at least
/// 4.5.
QColor textOn(const QColor &ground);
/// Tells whether a text can be read on a background: the contrast is at least 4.5 (WCAG AA).
bool isReadable(const QColor &text, const QColor &ground);

/// Reads ":/themes/<name>.json". Fails (Fault) with the name of the colour that is missing or
/// invalid.
Result<Theme> loadTheme(const QString &name);

} // namespace graphloom
