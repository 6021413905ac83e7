// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/graph_canvas.h"

#include "app/models/format.h"
#include "app/views/canvas_overlay.h"

#include <QAccessible>
#include <QApplication>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QInputDevice>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace graphloom {

namespace {

constexpr double leastScale = 0.004, mostScale = 4;
constexpr double readableScale = 0.7, hardlyReadableScale = 0.47;
constexpr double stepFactor = 1.25;
constexpr int panStep = 80, margin = 24;

} // namespace

GraphCanvas::GraphCanvas(Selection &selection, QWidget *parent)
    : QGraphicsView(parent), m_selection(selection), m_tiles(this)
{
    setScene(new QGraphicsScene(this));
    scene()->setItemIndexMethod(QGraphicsScene::NoIndex);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(QGraphicsView::NoAnchor);
    setResizeAnchor(QGraphicsView::NoAnchor);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(false); // files are dropped on the window
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    viewport()->grabGesture(Qt::PinchGesture);
    setAccessibleName(tr("Graph"));
    setObjectName(QStringLiteral("graphCanvas"));
    connect(&m_tiles, &TileStore::tileReady, viewport(), qOverload<>(&QWidget::update));
    connect(&m_selection, &Selection::changed, this, &GraphCanvas::selectionChanged);
}

void GraphCanvas::setDrawing(DrawingPointer next)
{
    const DrawingPointer before = drawing();
    // What the eye rests on stays where it is.
    Item anchor;
    QPointF place;
    if (before && next) {
        anchor = m_selection.item();
        if (!before->rectOf(anchor) || !visibleScene().intersects(*before->rectOf(anchor)))
            anchor = before->itemAt(visibleScene().center());
        if (const auto rect = before->rectOf(anchor))
            place = QPointF(mapFromScene(rect->center()));
        else
            anchor = {};
    }
    m_hovered = {};
    m_tiles.setDrawing(std::move(next));
    updateSceneRect();
    placeMatches();
    if (drawing() && anchor)
        if (const auto rect = drawing()->rectOf(anchor)) {
            const QPointF now = QPointF(mapFromScene(rect->center()));
            pan((place - now).toPoint());
        }
    viewport()->update();
    Q_EMIT viewChanged();
}

void GraphCanvas::setAppearance(std::shared_ptr<const Theme> theme, NodeColours colours)
{
    m_theme = theme;
    setBackgroundBrush(theme->canvas.background);
    m_tiles.setAppearance(std::move(theme), colours);
    viewport()->update();
}

void GraphCanvas::setMatches(const std::vector<Item> &matches)
{
    m_matches = matches;
    placeMatches();
}

void GraphCanvas::placeMatches()
{
    m_matchingNodes.clear();
    if (drawing())
        for (const Item &match : m_matches)
            if (const std::uint32_t node = drawing()->graph.nodeOf(match);
                node != VisibleGraph::none)
                m_matchingNodes.insert(node);
    viewport()->update();
}

void GraphCanvas::updateSceneRect()
{
    if (!drawing()) {
        setSceneRect({});
        return;
    }
    // So much room around that any place can be brought to the middle at any zoom.
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

void GraphCanvas::zoomAround(double factor, const QPoint &place)
{
    const double now = std::clamp(scale() * factor, leastScale, mostScale);
    if (!drawing() || now == scale())
        return;
    const QPointF fixed = (QPointF(place) - origin()) / scale();
    setTransform(QTransform::fromScale(now, now));
    updateSceneRect();
    pan(place - (fixed * now + origin()).toPoint());
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

void GraphCanvas::pan(const QPoint &by)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
}

double GraphCanvas::fitScale() const
{
    const QSizeF room = QSizeF(viewport()->size()) - QSizeF(2 * margin, 2 * margin);
    const QRectF &bounds = drawing()->bounds;
    return std::clamp(std::min(room.width() / std::max(1.0, bounds.width()),
                               room.height() / std::max(1.0, bounds.height())),
                      leastScale, 1.0);
}

void GraphCanvas::fit()
{
    if (!drawing())
        return;
    zoomTo(fitScale());
    centreOn(drawing()->bounds.center());
}

void GraphCanvas::centreOn(const QPointF &scene)
{
    pan(viewport()->rect().center() - (scene * scale() + origin()).toPoint());
}

void GraphCanvas::fitReadable()
{
    if (!drawing())
        return;
    if (fitScale() >= hardlyReadableScale) {
        fit();
        return;
    }
    zoomTo(readableScale);
    const QRectF &bounds = drawing()->bounds;
    QPoint target = (bounds.topLeft() * scale() + origin()).toPoint();
    QPoint wanted(margin, margin);
    if (bounds.width() * scale() + 2 * margin < viewport()->width())
        wanted.setX(int(viewport()->width() - bounds.width() * scale()) / 2);
    pan(wanted - target);
    // Lines that arch over everything may leave the corner empty: then it begins at the first node.
    if (drawing()->nodes.empty())
        return;
    const QRectF &first = drawing()->nodes.front();
    const QPoint place = (QPointF(first.center().x(), first.top()) * scale() + origin()).toPoint();
    pan({place.x() < viewport()->width() - margin ? 0 : viewport()->width() / 2 - place.x(),
         place.y() < viewport()->height() / 2 ? 0 : 2 * margin - place.y()});
}

void GraphCanvas::reveal(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (!rect)
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
    zoomTo(std::clamp(wanted, leastScale, 1.0));
    centreOn(rect->center());
}

void GraphCanvas::drawBackground(QPainter *painter, const QRectF &rect)
{
    painter->save();
    const QRect exposed =
        painter->worldTransform().mapRect(rect).toAlignedRect().adjusted(-1, -1, 1, 1);
    painter->resetTransform();
    painter->fillRect(exposed, backgroundBrush());
    m_tiles.setViewport(viewport()->rect());
    m_tiles.paint(*painter, exposed, scale(), origin(), viewport()->devicePixelRatioF());
    painter->restore();
}

void GraphCanvas::drawForeground(QPainter *painter, const QRectF &rect)
{
    if (drawing() && m_theme)
        paintOverlay(*painter, *drawing(), *m_theme, rect,
                     {m_selection.item(), m_hovered, &m_matchingNodes, scale()});
}

void GraphCanvas::selectionChanged(const Item &item)
{
    viewport()->update();
    if (!m_clicking) // what is clicked at is in view, and must not run away
        reveal(item);
    setAccessibleDescription(describe(item));
}

QString GraphCanvas::describe(const Item &item) const
{
    if (!drawing() || !item)
        return {};
    const Snapshot &snapshot = *drawing()->snapshot;
    switch (item.kind) {
    case Item::Kind::Node: {
        if (!snapshot.graph().contains(item.node()))
            return {};
        const NodeFacts &facts = snapshot.facts->of(item.node());
        return facts.op + QStringLiteral("\n") + facts.name + QStringLiteral("\n") + facts.shape;
    }
    case Item::Kind::Input:
    case Item::Kind::Output: {
        if (!snapshot.graph().contains(item.tensor()))
            return {};
        const Tensor &tensor = snapshot.graph().tensor(item.tensor());
        return (item.kind == Item::Kind::Input ? tr("Input %1") : tr("Output %1"))
                   .arg(fromUtf8(tensor.name)) +
               QStringLiteral("\n") + formatType(tensor);
    }
    case Item::Kind::Subgraph:
        if (snapshot.partition && item.index < snapshot.partition->rows.size()) {
            const auto &row = snapshot.partition->rows[item.index];
            return tr("Subgraph %1, %2 nodes, weight %3\n%4")
                .arg(item.index)
                .arg(row.nodes)
                .arg(formatReal(row.weight), row.operators);
        }
        return {};
    case Item::Kind::None:
        break;
    }
    return {};
}

void GraphCanvas::updateItem(const Item &item)
{
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    if (rect)
        viewport()->update(QRectF(rect->topLeft() * scale() + origin(), rect->size() * scale())
                               .toAlignedRect()
                               .adjusted(-4, -4, 4, 4));
}

void GraphCanvas::setHovered(const Item &item)
{
    if (item == m_hovered)
        return;
    updateItem(m_hovered);
    m_hovered = item;
    updateItem(m_hovered);
}

bool GraphCanvas::viewportEvent(QEvent *event)
{
    switch (event->type()) {
    case QEvent::ToolTip: {
        auto *help = static_cast<QHelpEvent *>(event);
        const QString text =
            drawing() ? describe(drawing()->itemAt((QPointF(help->pos()) - origin()) / scale()))
                      : QString();
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    case QEvent::Gesture:
        if (auto *pinch = static_cast<QPinchGesture *>(
                static_cast<QGestureEvent *>(event)->gesture(Qt::PinchGesture))) {
            if (pinch->changeFlags() & QPinchGesture::ScaleFactorChanged)
                zoomAround(pinch->scaleFactor(), mapFromGlobal(pinch->centerPoint().toPoint()));
            return true;
        }
        break;
    case QEvent::NativeGesture: {
        auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomAround(1 + gesture->value(), gesture->position().toPoint());
            return true;
        }
        break;
    }
    case QEvent::Leave:
        setHovered({});
        break;
    default:
        break;
    }
    return QGraphicsView::viewportEvent(event);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    const bool touchpad =
        event->device() && event->device()->type() == QInputDevice::DeviceType::TouchPad;
    if (touchpad && !(event->modifiers() & Qt::ControlModifier))
        pan(event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta());
    else if (event->modifiers() & Qt::ShiftModifier)
        pan({event->angleDelta().x() + event->angleDelta().y(), 0});
    else
        zoomAround(std::pow(stepFactor, event->angleDelta().y() / 120.0),
                   event->position().toPoint());
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_isPressed = true;
    m_panning = event->button() == Qt::MiddleButton;
    m_pressed = m_lastMouse = event->pos();
    if (m_panning)
        viewport()->setCursor(Qt::ClosedHandCursor);
    event->accept();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_isPressed) {
        setHovered(drawing() ? drawing()->itemAt((QPointF(event->pos()) - origin()) / scale())
                             : Item{});
        return;
    }
    if (!m_panning &&
        (event->pos() - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        m_panning = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_panning)
        pan(event->pos() - m_lastMouse);
    m_lastMouse = event->pos();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_isPressed)
        return;
    if (!m_panning && drawing()) {
        m_clicking = true;
        m_selection.select(drawing()->itemAt((QPointF(event->pos()) - origin()) / scale()));
        m_clicking = false;
    }
    m_isPressed = m_panning = false;
    viewport()->unsetCursor();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !drawing())
        return;
    if (const Item item = drawing()->itemAt((QPointF(event->pos()) - origin()) / scale()))
        Q_EMIT activated(item);
}

bool GraphCanvas::walk(Qt::Key key)
{
    if (!drawing() || !m_selection.item())
        return false;
    const auto direction = key == Qt::Key_Up     ? Drawing::Direction::Up
                           : key == Qt::Key_Down ? Drawing::Direction::Down
                           : key == Qt::Key_Left ? Drawing::Direction::Left
                                                 : Drawing::Direction::Right;
    if (const Item next = drawing()->neighbour(m_selection.item(), direction))
        m_selection.select(next);
    return true;
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    const auto key = Qt::Key(event->key());
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        // With something selected the arrows walk; with Shift, or nothing selected, they pan.
        if ((event->modifiers() & Qt::ShiftModifier) || !walk(key))
            pan({key == Qt::Key_Left    ? panStep
                 : key == Qt::Key_Right ? -panStep
                                        : 0,
                 key == Qt::Key_Up     ? panStep
                 : key == Qt::Key_Down ? -panStep
                                       : 0});
        return;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        pan({0, (key == Qt::Key_PageUp ? 1 : -1) * viewport()->height() * 9 / 10});
        return;
    case Qt::Key_Home:
    case Qt::Key_End:
        if (drawing() && !drawing()->graph.nodes.empty())
            m_selection.select(key == Qt::Key_Home ? drawing()->graph.nodes.front().item
                                                   : drawing()->graph.nodes.back().item);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selection.item())
            Q_EMIT activated(m_selection.item());
        return;
    case Qt::Key_Escape:
        m_selection.clear();
        return;
    default:
        event->ignore(); // shortcuts of the window
    }
}

void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    updateSceneRect();
    Q_EMIT viewChanged();
}

void GraphCanvas::scrollContentsBy(int dx, int dy)
{
    // No scrolling of pixels: overlays (legend, minimap) lie on the viewport.
    Q_UNUSED(dx);
    Q_UNUSED(dy);
    QGraphicsView::scrollContentsBy(0, 0);
    viewport()->update();
    Q_EMIT viewChanged();
}

} // namespace graphloom
