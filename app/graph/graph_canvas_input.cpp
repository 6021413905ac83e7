// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, touchpad and keyboard input of the canvas.
#include "app/graph/graph_canvas.h"

#include <QApplication>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QInputDevice>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QRubberBand>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace graphloom {

namespace {

constexpr double stepFactor = 1.25;
constexpr int panStep = 80;
constexpr double edgeReach = 4;        // pixels from an edge within which it is meant
constexpr double leastEdgeScale = 0.3; // below it edges lie too close to point at one

} // namespace

Item GraphCanvas::itemAt(const QPointF &place) const
{
    if (!drawing())
        return {};
    const QPointF scene = (place - origin()) / scale();
    const Item item = drawing()->itemAt(scene);
    if ((item && !item.isGroup()) || scale() < leastEdgeScale)
        return item;
    const auto tensor = drawing()->tensorAt(scene, edgeReach / scale());
    return tensor ? Item::tensor(*tensor) : item;
}

QPoint GraphCanvas::globalPlaceOf(const Item &item) const
{
    const QRect view = viewport()->rect();
    const auto rect = drawing() ? drawing()->rectOf(item) : std::nullopt;
    const QPoint place = rect ? (rect->center() * scale() + origin()).toPoint() : view.center();
    return viewport()->mapToGlobal(view.contains(place) ? place : view.center());
}

bool GraphCanvas::viewportEvent(QEvent *event)
{
    switch (event->type()) {
    case QEvent::ToolTip: {
        auto *help = static_cast<QHelpEvent *>(event);
        const QString text = describe(itemAt(help->pos()));
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
    if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier)) {
        m_pressed = event->pos();
        m_band = new QRubberBand(QRubberBand::Rectangle, viewport());
        m_band->setGeometry(QRect(m_pressed, QSize()));
        m_band->show();
        return;
    }
    m_panning = event->button() == Qt::MiddleButton;
    m_pressed = m_lastMouse = event->pos();
    if (m_panning)
        viewport()->setCursor(Qt::ClosedHandCursor);
    event->accept();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_isPressed) {
        const Item item = itemAt(event->pos());
        setHovered(item.kind == Item::Kind::Tensor ? Item() : item); // not its node
        return;
    }
    if (m_band) {
        m_band->setGeometry(QRect(m_pressed, event->pos()).normalized());
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
    if (m_band)
        selectFramed(event->modifiers() & Qt::ControlModifier);
    else if (!m_panning && drawing())
        click(itemAt(event->pos()), event->modifiers());
    m_isPressed = m_panning = false;
    viewport()->unsetCursor();
}

void GraphCanvas::click(const Item &item, Qt::KeyboardModifiers modifiers)
{
    m_clicking = true;
    if (!(modifiers & Qt::ControlModifier))
        m_selection.select(item);
    else if (item)
        m_selection.toggle(item);
    m_clicking = false;
}

/// Returns the nodes whose centre lies in the frame.
void GraphCanvas::selectFramed(bool adding)
{
    const QRectF frame = QRectF(QPointF(m_band->geometry().topLeft() - origin()) / scale(),
                                QSizeF(m_band->size()) / scale());
    m_band->deleteLater();
    m_band = nullptr;
    if (!drawing())
        return;
    std::vector<Item> items = adding ? m_selection.items() : std::vector<Item>();
    for (const std::uint32_t v : drawing()->nodeIndex.in(frame))
        if (frame.contains(drawing()->nodes[v].center()))
            items.push_back(drawing()->graph.nodes[v].item);
    m_clicking = true;
    m_selection.select(std::move(items));
    m_clicking = false;
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const Item item = itemAt(event->pos()))
        Q_EMIT activated(item);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const Item item = byKey ? m_selection.item() : itemAt(event->pos());
    if (!byKey && item &&
        !m_selection.contains(item)) // otherwise the menu applies to the selection
        click(item, {});
    Q_EMIT menuRequested(item, byKey ? globalPlaceOf(item) : event->globalPos());
}

bool GraphCanvas::walk(Qt::Key key, bool adding)
{
    if (!drawing() || !m_selection.item())
        return false;
    const auto direction = key == Qt::Key_Up     ? Drawing::Direction::Up
                           : key == Qt::Key_Down ? Drawing::Direction::Down
                           : key == Qt::Key_Left ? Drawing::Direction::Left
                                                 : Drawing::Direction::Right;
    if (const Item next = drawing()->neighbour(m_selection.item(), direction)) {
        std::vector<Item> items = adding ? m_selection.items() : std::vector<Item>();
        items.push_back(next);
        m_selection.select(std::move(items));
    }
    return true;
}

void GraphCanvas::panTowards(Qt::Key key)
{
    pan({key == Qt::Key_Left    ? panStep
         : key == Qt::Key_Right ? -panStep
                                : 0,
         key == Qt::Key_Up     ? panStep
         : key == Qt::Key_Down ? -panStep
                               : 0});
}

void GraphCanvas::describeKeys()
{
    const auto arrows = [](Qt::KeyboardModifiers held) {
        return QList<QKeyCombination>{held | Qt::Key_Left, held | Qt::Key_Right, held | Qt::Key_Up,
                                      held | Qt::Key_Down};
    };
    m_keys.add(arrows({}),
               tr("Follow edges from the selected item, or scroll if nothing is selected"),
               [this](Qt::Key key) {
                   if (!walk(key, false))
                       panTowards(key);
               });
    m_keys.add(arrows(Qt::ControlModifier), tr("Follow edges and extend the selection"),
               [this](Qt::Key key) {
                   if (!walk(key, true))
                       panTowards(key);
               });
    m_keys.add(arrows(Qt::ShiftModifier), tr("Scroll"), [this](Qt::Key key) { panTowards(key); });
    m_keys.add({Qt::Key_PageUp, Qt::Key_PageDown}, tr("Scroll by one page"), [this](Qt::Key key) {
        pan({0, (key == Qt::Key_PageUp ? 1 : -1) * viewport()->height() * 9 / 10});
    });
    const auto selectEnd = [this](Qt::Key key) {
        if (drawing() && !drawing()->graph.nodes.empty())
            m_selection.select(key == Qt::Key_Home ? drawing()->graph.nodes.front().item
                                                   : drawing()->graph.nodes.back().item);
    };
    m_keys.add({Qt::Key_Home}, tr("Select the first input"), selectEnd);
    m_keys.add({Qt::Key_End}, tr("Select the last output"), selectEnd);
    m_keys.add({Qt::Key_Return, Qt::Key_Enter},
               tr("Zoom to the node, expand or collapse the group, or open the nested graph"),
               [this](Qt::Key) {
                   if (m_selection.item())
                       Q_EMIT activated(m_selection.item());
               });
    m_keys.add({Qt::Key_Escape}, tr("Show all nodes again, or clear the selection"),
               [this](Qt::Key) {
                   if (drawing() && drawing()->options.focus)
                       Q_EMIT allWanted();
                   else
                       m_selection.clear();
               });
    m_keys.addGesture(tr("Ctrl+click"), tr("Add to or remove from the selection"));
    m_keys.addGesture(tr("Shift+drag"),
                      tr("Select with a rubber band; with Ctrl, add to the selection"));
    m_keys.addGesture(tr("Double click"), tr("Same as Enter"));
    m_keys.addGesture(tr("Wheel, pinch"), tr("Zoom"));
}

bool GraphCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride &&
        m_keys.has(static_cast<const QKeyEvent &>(*event))) {
        event->accept();
        return true;
    }
    return QGraphicsView::event(event);
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_keys.handle(*event))
        event->ignore(); // may be a shortcut of the window
}

} // namespace graphloom
