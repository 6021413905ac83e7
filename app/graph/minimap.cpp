// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/minimap.h"

#include "app/graph/graph_canvas.h"

#include <QMouseEvent>
#include <QPainter>

namespace graphloom {

namespace {

constexpr QSize leastSize(24, 24);
constexpr int padding = 6;

} // namespace

Minimap::Minimap(GraphCanvas &canvas) : QWidget(&canvas), m_canvas(canvas)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setCursor(Qt::ArrowCursor);
    setToolTip(tr("Overview of the graph: drag the frame to scroll"));
    setAccessibleName(tr("Minimap"));
    connect(&canvas.tiles(), &TileStore::overviewReady, this, &Minimap::refresh);
    connect(&canvas, &GraphCanvas::viewChanged, this, qOverload<>(&QWidget::update));
    refresh();
}

void Minimap::refresh()
{
    const DrawingPointer &drawing = m_canvas.drawing();
    if (!drawing || drawing->bounds.isEmpty()) {
        m_picture = {};
        resize(0, 0);
        return;
    }
    m_scale = TileStore::thumbnailScale(*drawing);
    const QSize size = (drawing->bounds.size() * m_scale).toSize().expandedTo(leastSize);
    m_picture = QPixmap::fromImage(m_canvas.tiles().thumbnail());
    resize(size + QSize(2 * padding, 2 * padding));
    update();
}

QRectF Minimap::frame() const
{
    if (!m_canvas.drawing())
        return {};
    const QRectF seen = m_canvas.visibleScene().translated(-m_canvas.drawing()->bounds.topLeft());
    return QRectF(seen.topLeft() * m_scale + QPointF(padding, padding), seen.size() * m_scale)
        .intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void Minimap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_canvas.backgroundBrush());
    painter.drawPixmap(padding, padding, m_picture);
    const QRectF seen = frame();
    QColor veil = palette().color(QPalette::Window);
    veil.setAlpha(60);
    painter.setPen(Qt::NoPen);
    QPainterPath outside;
    outside.addRect(rect());
    outside.addRect(seen);
    painter.fillPath(outside, veil);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
    painter.drawRect(seen);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Minimap::centreOn(const QPointF &place)
{
    if (m_canvas.drawing() && m_scale > 0)
        m_canvas.centreOn((place - QPointF(padding, padding)) / m_scale +
                          m_canvas.drawing()->bounds.topLeft());
}

void Minimap::mousePressEvent(QMouseEvent *event)
{
    centreOn(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        centreOn(event->position());
}

} // namespace graphloom
