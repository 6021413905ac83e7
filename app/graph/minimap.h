// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>

namespace graphloom {

class GraphCanvas;

/// Shows the whole drawing in a corner of the canvas, with the visible part in a frame that can be
/// dragged.
class Minimap final : public QWidget {
    Q_OBJECT

public:
    explicit Minimap(GraphCanvas &canvas);

    /// Returns the frame of the visible part.
    QRectF frame() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    void refresh();
    void centreOn(const QPointF &place);

    GraphCanvas &m_canvas;
    QPixmap m_picture;
    double m_scale = 0; // pixels of the minimap per scene unit
};

} // namespace graphloom
