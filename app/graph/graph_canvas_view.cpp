// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the drawing the canvas shows.
#include "app/graph/graph_canvas.h"

#include <QScopedValueRollback>
#include <QScrollBar>

#include <cmath>

namespace graphloom {

void GraphCanvas::updateSceneRect()
{
    if (!drawing()) {
        setSceneRect({});
        return;
    }
    // The margin allows any point to be centred at any zoom.
    const QRectF &bounds = drawing()->bounds;
    const double x = viewport()->width() / scale(), y = viewport()->height() / scale();
    setSceneRect(bounds.adjusted(-x, -y, x, y));
}

QRectF GraphCanvas::visibleScene() const
{
    return QRectF(-QPointF(origin()) / scale(), QSizeF(viewport()->size()) / scale());
}

QPoint GraphCanvas::origin() const
{
    return viewportTransform().map(QPointF(0, 0)).toPoint();
}

/// Returns the origin() of a view.
QPoint GraphCanvas::originAt(const DrawingView &view) const
{
    return viewport()->rect().center() - (view.centre * view.scale).toPoint();
}

void GraphCanvas::zoomAround(double factor, const QPoint &place)
{
    const double now = std::clamp(scale() * factor, leastViewScale, mostViewScale);
    if (!drawing() || now == scale())
        return;
    m_fitted = false;
    const QPointF fixed = (QPointF(place) - origin()) / scale();
    setTransform(QTransform::fromScale(now, now));
    updateSceneRect();
    scroll(place - (fixed * now + origin()).toPoint());
    Q_EMIT viewChanged();
}

void GraphCanvas::zoomBy(double factor)
{
    zoomAround(factor, viewport()->rect().center());
}

void GraphCanvas::zoomTo(double scale)
{
    zoomBy(scale / this->scale());
}

void GraphCanvas::scroll(const QPoint &by)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
}

void GraphCanvas::pan(const QPoint &by)
{
    m_fitted = m_fitted && by.isNull();
    scroll(by);
}

void GraphCanvas::centreOn(const QPointF &scene)
{
    pan(viewport()->rect().center() - (scene * scale() + origin()).toPoint());
}

void GraphCanvas::setView(const DrawingView &view)
{
    if (!drawing())
        return;
    const DrawingView wanted = view.fitted ? fitted() : view;
    zoomTo(wanted.scale);
    centreOn(wanted.centre);
    m_fitted = wanted.fitted;
}

DrawingView GraphCanvas::fitted() const
{
    DrawingView view = fittedView(*drawing(), viewport()->size());
    view.scale = std::min(view.scale, m_mostFitScale);
    return view;
}

void GraphCanvas::setMostFitScale(double scale)
{
    if (std::exchange(m_mostFitScale, scale) != scale && m_fitted)
        fit();
}

void GraphCanvas::fit()
{
    if (drawing())
        setView(fitted());
}

void GraphCanvas::fitReadable()
{
    if (drawing())
        setView(readableView(*drawing(), viewport()->size()));
}

void GraphCanvas::reveal(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (!rect || m_fitted)
        return;
    const QRectF onScreen(rect->topLeft() * scale() + origin(), rect->size() * scale());
    const QRectF inner = QRectF(viewport()->rect()).adjusted(60, 60, -60, -60);
    if (inner.contains(onScreen))
        return;
    if (!QRectF(viewport()->rect()).intersects(onScreen)) {
        pan((QRectF(viewport()->rect()).center() - onScreen.center()).toPoint());
        return;
    }
    const auto shift = [](double low, double high, double least, double most) {
        return low < least ? least - low : high > most ? most - high : 0.0;
    };
    pan(QPointF(shift(onScreen.left(), onScreen.right(), inner.left(), inner.right()),
                shift(onScreen.top(), onScreen.bottom(), inner.top(), inner.bottom()))
            .toPoint());
}

void GraphCanvas::zoomToItem(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (!rect)
        return;
    const double wanted = std::min(viewport()->width() / (rect->width() + 160),
                                   viewport()->height() / (rect->height() + 160));
    zoomTo(std::clamp(wanted, leastViewScale, 1.0));
    centreOn(rect->center());
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    const QScopedValueRollback adapting(m_adapting, true);
    updateSceneRect();
    if (m_fitted)
        fit();
    Q_EMIT viewChanged();
}

void GraphCanvas::scrollContentsBy(int dx, int dy)
{
    // Repaint instead of scrolling pixels, as overlays (legend, minimap) lie on the viewport.
    Q_UNUSED(dx);
    Q_UNUSED(dy);
    QGraphicsView::scrollContentsBy(0, 0);
    viewport()->update();
    Q_EMIT viewChanged();
}

} // namespace graphloom
