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

/// Patterns that distinguish areas in addition to colours.
enum class AreaPattern : std::uint8_t { Plain, Upright, Level, Rising, Falling, Dots, Crossed };
AreaPattern patternOf(MemoryTimeline::Class kind);

/// A colour with its darker shades, computed once and not for each of thousands of areas.
struct AreaInk {
    AreaInk() = default;
    explicit AreaInk(const QColor &of);
    QColor colour;
    QRgb fill = 0, edge = 0, pattern = 0;
};

/// The target that areas of a chart are filled on: pixels, or a painter that draws paths.
class AreaCanvas {
public:
    virtual ~AreaCanvas() = default;
    /// Fills a rectangle from `left` to `right` and from `lower` to `upper`, in device pixels of
    /// the chart, exclusive at the end. `begins` draws an edge at the left.
    virtual void fill(int left, int right, int lower, int upper, const AreaInk &ink,
                      AreaPattern pattern, bool begins) = 0;
    /// Ends the current area. What is filled next belongs to another.
    virtual void next() {}
    /// Tells whether a place is already filled.
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

/// Paints what is filled between two calls of next() as one path, and the lines of its pattern as
/// another.
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

/// Paints a sample of an area, for a legend.
void paintSample(QPainter &painter, const QRectF &rect, const QColor &colour, AreaPattern pattern);

} // namespace graphloom
