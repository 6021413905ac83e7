// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/graph/graph_canvas.h"
#include "app/sides/sides.h"

namespace graphloom {

/// Keeps the views of two canvases together: both have the same scale, and the counterpart of an
/// item of the one that is moved is at the same place of the other one's view. The item is the
/// selected one if it is in view, else the one nearest to the centre that has a counterpart.
class CanvasLink final : public QObject {
    Q_OBJECT

public:
    CanvasLink(Sides &sides, GraphCanvas &before, GraphCanvas &now);

    /// Sets whether the views are kept together; if not, each canvas is moved on its own.
    void setLinked(bool linked);
    bool isLinked() const { return m_linked; }
    /// Moves the other canvas to where this side's canvas is.
    void align(Side from);

private:
    /// Holds the centres of an item and of its counterpart, each in its own scene.
    struct Anchor {
        QPointF here, there;
    };
    GraphCanvas &canvas(Side side) { return side == Side::Before ? m_before : m_now; }
    void viewChanged(Side side);
    void fitBoth();
    std::optional<Anchor> anchorOf(Side from, const Counterparts &counterparts);
    std::optional<Anchor> anchorAt(Side from, const Counterparts &counterparts, const Item &item);

    Sides &m_sides;
    GraphCanvas &m_before, &m_now;
    bool m_linked = false, m_moving = false;
};

} // namespace graphloom
