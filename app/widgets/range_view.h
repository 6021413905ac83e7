// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/style/theme.h"
#include "app/widgets/view_keys.h"

#include <QAbstractScrollArea>
#include <QPixmap>
#include <QPoint>

#include <optional>

class QPainter;

namespace graphloom {

/// Shows a range of a horizontal axis, which can be zoomed with the wheel and dragged. What is
/// painted is kept until another part is in view: moving the pointer only repaints what lies over
/// it. Its keys go before the shortcuts of the window.
class RangeView : public QAbstractScrollArea, public KeyedView {
    Q_OBJECT

public:
    /// Holds places on the axis.
    struct Range {
        double from = 0, to = 0;
        double width() const { return to - from; }
        bool operator==(const Range &) const = default;
    };

    void setTheme(const Theme &theme);
    /// Shows a range, clipped at the ends of the axis.
    void showRange(double from, double to);
    void zoomBy(double factor, double place);
    /// Scrolls by a share of what is visible.
    void panBy(double share);
    /// Shows the whole axis.
    void fit() { showRange(0, end()); }

    const ViewKeys &keys() const override { return m_keys; }
    QSize sizeHint() const override { return {640, 240}; }

protected:
    /// Creates a view whose keys are listed under a title.
    explicit RangeView(const QString &title, QWidget *parent = nullptr);

    /// Tells whether there is nothing to show.
    virtual bool isEmpty() const = 0;
    /// Returns the end of the axis, which begins at 0.
    virtual double end() const = 0;
    /// Returns the width of the smallest visible range.
    virtual double leastWidth() const = 0;
    virtual Range range() const = 0;
    /// Lays out another range. Must call contentChanged().
    virtual void setRange(const Range &range) = 0;
    virtual void paintContent(QPainter &painter, const Theme &theme) const = 0;
    /// Paints what changes with pointer and selection.
    virtual void paintOver(QPainter &painter, const Theme &theme) const = 0;
    /// Returns the place on the axis at an x of the viewport.
    virtual double placeAt(double x) const = 0;
    /// Marks what the pointer is over, or nothing when it has left. Returns whether it is something
    /// that can be clicked.
    virtual bool hover(const std::optional<QPoint> &place) = 0;
    virtual void click(const QPoint &place) = 0;
    /// Returns the text for what is at a place; empty when nothing is there.
    virtual QString textAt(const QPoint &place) const = 0;

    /// Factors of zooming by keys, and the share of the view by which keys scroll.
    static constexpr double keyZoom = 1.5, panShare = 0.15;
    /// Paints everything again, after the content or the range has changed.
    void contentChanged();
    /// Tells whether the whole axis is visible.
    bool isWhole() const { return range().width() >= end() * 0.999; }

    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

    ViewKeys m_keys;

private:
    /// A place that the pointer drags: on the axis, and as a value of the vertical scroll bar.
    struct Grab {
        QPoint pressed;
        double place = 0;
        int scrolled = 0;
        bool moves = false;
    };
    void fitFont();
    void updateScrollBar();
    void pointTo(const QPoint &place);

    std::optional<Theme> m_theme;
    QPixmap m_painted;
    bool m_isPainted = false, m_scrolling = false;
    std::optional<Grab> m_grabbed;
};

} // namespace graphloom
