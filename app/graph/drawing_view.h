// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/drawing/drawing.h"

namespace graphloom {

/// Describes the part of a drawing that is in view.
struct DrawingView {
    double scale = 1; // pixels per scene unit
    QPointF centre;
    bool fitted = false; // the whole drawing is wanted, also after it has changed

    QRectF sceneOn(const QSizeF &viewport) const
    {
        const QSizeF size = viewport / scale;
        return {centre - QPointF(size.width(), size.height()) / 2, size};
    }
};

/// These bound the scale.
inline constexpr double leastViewScale = 0.004, mostViewScale = 4;

/// Returns the view of a whole drawing, at most at 100 %.
DrawingView fittedView(const Drawing &drawing, const QSizeF &viewport);
/// Returns a view, such as one that was saved, with its centre moved into the drawing.
DrawingView viewInside(const Drawing &drawing, DrawingView view);
/// Returns the view of the whole drawing, or if it would be unreadable, of its beginning.
DrawingView readableView(const Drawing &drawing, const QSizeF &viewport);
/// Returns the view of a drawing that replaces another one of the same graph. A fitted view stays
/// fitted. Otherwise the selected item, or the one nearest to the middle, keeps its place, and a
/// group that was expanded is shown. Where next to nothing would be left in view, it fits.
DrawingView keptView(const Drawing &before, const DrawingView &view, const Drawing &next,
                     const QSizeF &viewport, const Item &selected);

} // namespace graphloom
