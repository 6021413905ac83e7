// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tensors/pictures/heat_scale.h"
#include "engine/tensors/value_grid.h"

#include <QRectF>
#include <QString>

#include <memory>
#include <optional>

class QFontMetricsF;
class QImage;
class QPainter;

namespace graphloom {

/// Describes a picture of a slice: a colour for each element, or for the mean of some elements.
struct HeatMapScene {
    std::shared_ptr<const ValueGrid> grid; // null while it is computed for the first time
    SliceRange range;                      // that is shown; the grid may be of another one
    std::int64_t rowFactor = 1;            // of the numbers of rows, for wrapped vectors
    QString caption;                       // below the map; empty: none
    HeatScale scale;
    std::optional<std::pair<std::int64_t, std::int64_t>> current; // marked cell of the slice
};

/// Holds where the parts of the picture are.
struct HeatMapLayout {
    QRectF map, bar;
    double cellWidth = 1, cellHeight = 1; // of an element
};
HeatMapLayout layoutOf(const HeatMapScene &scene, const QRectF &place,
                       const QFontMetricsF &metrics);

/// Returns the colours of the cells, a pixel each. The scene must have a grid.
QImage cellsOf(const HeatMapScene &scene, const Theme &theme);
/// Paints the map with its axes and the legend of its colours. `cells` are those of the scene.
void paintHeatMap(QPainter &painter, const QRectF &place, const HeatMapScene &scene,
                  const Theme &theme, const QImage &cells);

/// Returns what the colours stand for if they are not single elements: "each cell is the mean of
/// 4x2 elements". Empty otherwise.
QString reductionText(const HeatMapScene &scene);

} // namespace graphloom
