// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/range_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr int scrollUnits = 1 << 20; // length of the whole axis for the scroll bar
constexpr double wheelZoom = 1.2;

} // namespace

RangeView::RangeView(const QString &title, QWidget *parent)
    : QAbstractScrollArea(parent), m_keys(title)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    setMinimumSize(160, 90);
    fitFont();
}

void RangeView::fitFont()
{
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    viewport()->setFont(small);
}

/// The layout depends on the size of texts.
void RangeView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    fitFont();
    if (!isEmpty())
        setRange(range());
    else
        contentChanged();
}

void RangeView::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_isPainted = false;
    viewport()->update();
}

void RangeView::showRange(double from, double to)
{
    const double whole = end();
    if (whole <= 0)
        return;
    const double width = std::clamp(to - from, std::min(whole, leastWidth()), whole);
    from = std::clamp((from + to - width) / 2, 0.0, whole - width);
    const Range shown{from, from + width};
    if (shown != range())
        setRange(shown);
}

void RangeView::zoomBy(double factor, double place)
{
    const Range shown = range();
    showRange(place - (place - shown.from) / factor, place + (shown.to - place) / factor);
}

void RangeView::panBy(double share)
{
    const Range shown = range();
    const double by = share * shown.width();
    showRange(shown.from + by, shown.to + by);
}

void RangeView::contentChanged()
{
    m_isPainted = false;
    updateScrollBar();
    viewport()->update();
}

void RangeView::updateScrollBar()
{
    const double whole = end();
    QScrollBar &bar = *horizontalScrollBar();
    m_scrolling = true;
    if (whole <= 0 || isEmpty()) {
        bar.setRange(0, 0);
    } else {
        const double unit = scrollUnits / whole;
        const int page = std::max(1, int(range().width() * unit));
        bar.setPageStep(page);
        bar.setSingleStep(std::max(1, page / 20));
        bar.setRange(0, scrollUnits - page <= scrollUnits / 1000 ? 0 : scrollUnits - page);
        bar.setValue(int(range().from * unit));
    }
    m_scrolling = false;
}

void RangeView::scrollContentsBy(int dx, int)
{
    if (m_scrolling || dx == 0)
        return;
    const double from = double(horizontalScrollBar()->value()) / scrollUnits * end();
    showRange(from, from + range().width());
}

void RangeView::paintEvent(QPaintEvent *)
{
    if (!m_theme)
        return;
    const double ratio = viewport()->devicePixelRatioF();
    if (!m_isPainted) {
        if (m_painted.size() != viewport()->size() * ratio)
            m_painted = QPixmap(viewport()->size() * ratio);
        m_painted.setDevicePixelRatio(ratio);
        m_painted.fill(m_theme->palette.color(QPalette::Base));
        QPainter painter(&m_painted);
        paintContent(painter, *m_theme);
        m_isPainted = true;
    }
    QPainter painter(viewport());
    painter.drawPixmap(0, 0, m_painted);
    paintOver(painter, *m_theme);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->palette.color(QPalette::Highlight), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void RangeView::wheelEvent(QWheelEvent *event)
{
    const QPoint by = event->angleDelta();
    const bool pans = event->modifiers() & Qt::ShiftModifier || std::abs(by.x()) > std::abs(by.y());
    if (pans) {
        const double turn = by.x() != 0 ? by.x() : by.y();
        panBy(-turn / 120 * panShare);
    } else if (by.y() != 0 && !isEmpty()) {
        zoomBy(std::pow(wheelZoom, by.y() / 120.0), placeAt(event->position().x()));
        pointTo(event->position().toPoint());
    }
    event->accept();
}

void RangeView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && !isEmpty())
        m_grabbed = {event->pos(), placeAt(event->position().x()), verticalScrollBar()->value()};
}

void RangeView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_grabbed) {
        pointTo(event->pos());
        return;
    }
    const QPoint by = event->pos() - m_grabbed->pressed;
    if (!m_grabbed->moves && by.manhattanLength() < QApplication::startDragDistance())
        return;
    m_grabbed->moves = true;
    viewport()->setCursor(Qt::ClosedHandCursor);
    const double shift = m_grabbed->place - placeAt(event->position().x());
    showRange(range().from + shift, range().to + shift);
    verticalScrollBar()->setValue(m_grabbed->scrolled - by.y());
}

void RangeView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_grabbed)
        return;
    const bool moved = m_grabbed->moves;
    m_grabbed.reset();
    viewport()->unsetCursor();
    if (!moved)
        click(event->pos());
}

void RangeView::pointTo(const QPoint &place)
{
    viewport()->setCursor(hover(place) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (QToolTip::isVisible())
        QToolTip::showText(viewport()->mapToGlobal(place), textAt(place), viewport());
}

bool RangeView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto &help = static_cast<const QHelpEvent &>(*event);
        QToolTip::showText(help.globalPos(), textAt(help.pos()), viewport());
        return true;
    }
    if (event->type() == QEvent::Leave)
        hover(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

bool RangeView::event(QEvent *event)
{
    // F and other keys are shortcuts of the window.
    if (event->type() == QEvent::ShortcutOverride && !isEmpty() &&
        m_keys.has(static_cast<const QKeyEvent &>(*event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

void RangeView::keyPressEvent(QKeyEvent *event)
{
    if (isEmpty() || !m_keys.handle(*event))
        QAbstractScrollArea::keyPressEvent(event);
}

} // namespace graphloom
