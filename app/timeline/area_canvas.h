// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/timeline/memory_timeline.h"

#include <QColor>
#include <QImage>
#include <QPainterPath>
#include <QRectF>

#include <optional>

class QPainter;

namespace graphloom {

/// Patterns beside colours; none is plain.
enum class AreaPattern : std::uint8_t { Plain, Upright, Level, Rising, Falling, Dots, Crossed };
AreaPattern patternOf(MemoryTimeline::Class kind);

/// A colour with what is darker of it: reckoned once, not for each of thousands of areas.
struct AreaInk {
    AreaInk() = default;
    explicit AreaInk(const QColor &of);
    QColor colour;
    QRgb fill = 0, edge = 0, pattern = 0;
};

/// Where areas of a chart go: to pixels, or to a painter that draws paths.
class AreaCanvas {
public:
    virtual ~AreaCanvas() = default;
    /// From the lower edge to the upper one and from column to column, in device pixels of the
    /// chart, exclusive at the end. `begins`: has an edge at the left.
    virtual void fill(int left, int right, int lower, int upper, const AreaInk &ink,
                      AreaPattern pattern, bool begins) = 0;
    /// What follows is another area.
    virtual void next() {}
    /// Is there something at a place already?
    virtual bool isTaken(int column, int row) const = 0;
};

class PixelCanvas final : public AreaCanvas {
public:
    PixelCanvas(int width, int height);
    void fill(int left, int right, int lower, int upper, const AreaInk &ink, AreaPattern pattern,
              bool begins) override;
    bool isTaken(int column, int row) const override;
    const QImage &image() const { return m_image; }

private:
    QImage m_image;
    QRgb *m_bits;
    int m_stride;
};

/// Paints what was filled between two next() as one path, with the lines of its pattern as another.
class PathCanvas final : public AreaCanvas {
public:
    PathCanvas(QPainter &painter, const QRectF &chart, double ratio)
        : m_painter(painter), m_chart(chart), m_ratio(ratio)
    {
    }
    ~PathCanvas() override { next(); }
    void fill(int left, int right, int lower, int upper, const AreaInk &ink, AreaPattern pattern,
              bool begins) override;
    void next() override;
    bool isTaken(int, int) const override { return true; }

private:
    QPainter &m_painter;
    QRectF m_chart;
    double m_ratio;
    AreaInk m_ink;
    QPainterPath m_area, m_lines;
};

/// A sample of an area, for a legend.
void paintSample(QPainter &painter, const QRectF &rect, const QColor &colour, AreaPattern pattern);

} // namespace graphloom
