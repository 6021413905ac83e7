// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lane_bars.h"

#include <QFont>
#include <QRectF>

#include <optional>

namespace graphloom {

/// Tells what the colours of slices stand for.
enum class LaneColours : std::uint8_t { Classes, Mappings };

/// Describes lanes, which part of them is shown, and how.
struct LaneScene {
    LanesPointer lanes; // may be null
    LaneColours colours = LaneColours::Classes;
    bool before = true;      // shows the run before, too
    double from = 0, to = 0; // seconds; empty: all
    double scrolled = 0;     // pixels by which the lanes are moved up
    double leastHeight = 17; // of a lane; 0: however low it must be for all lanes to be visible

    /// Returns the first run that is shown.
    std::uint32_t firstRun() const { return before ? 0 : std::uint32_t(lanes->runs.size() - 1); }
    /// Returns the end of the axis: the seconds of the longest run that is shown.
    double end() const;
};

/// Holds lanes laid out for a rectangle: where everything is, without colours. They are painted by
/// the functions in lane_painter.h.
class LanePicture {
public:
    /// Holds a lane; its bars only if a part of it is visible.
    struct Row {
        std::uint32_t lane = 0;
        QRectF rect;
        std::vector<LaneBar> bars;
    };
    /// Holds the place of the line above the lanes of a run.
    struct Header {
        std::uint32_t run = 0;
        QRectF rect;
    };
    /// Describes what is at a place.
    struct Hit {
        std::optional<std::uint32_t> lane;
        std::optional<LaneBar> bar; // in that lane
        double time = 0;
    };

    LanePicture() = default;
    /// Lays out a scene for a rectangle. `ratio` is the number of device pixels per unit of the
    /// rectangle.
    LanePicture(LaneScene scene, const QRectF &rect, const QFont &font, double ratio = 1);

    const LaneScene &scene() const { return m_scene; }
    const Lanes &lanes() const { return *m_scene.lanes; }
    bool isEmpty() const { return !m_scene.lanes || m_scene.lanes->slices.empty(); }
    const QFont &font() const { return m_font; }

    /// Returns the room of all lanes; they are clipped to it.
    const QRectF &chart() const { return m_chart; }
    /// Returns the room of the lanes with their names and the lines above them.
    QRectF body() const
    {
        return {m_left, m_chart.top(), m_chart.right() - m_left, m_chart.height()};
    }
    const QRectF &ruler() const { return m_ruler; }
    const QRectF &legend() const { return m_legend; }
    const std::vector<Row> &rows() const { return m_rows; }
    const std::vector<Header> &headers() const { return m_headers; }
    const TimelineWindow &window() const { return m_window; }
    /// Returns the height of all lanes, which may be more than that of the chart.
    double contentHeight() const { return m_contentHeight; }
    /// Returns the number of bars, which bounds the time to paint them.
    std::size_t barCount() const;
    const Row *rowOf(std::uint32_t lane) const;

    double xOf(double time) const;
    double timeOf(double x) const;
    /// Returns the rectangle of a bar, at least one device pixel wide.
    QRectF rectOf(const Row &row, const LaneBar &bar) const;
    /// Returns the rectangle of a time span in a lane, clipped to the chart's width.
    QRectF rectOf(const Row &row, double from, double to) const;

    Hit at(const QPointF &place) const;

private:
    void placeRows(double line);

    LaneScene m_scene;
    QFont m_font;
    double m_ratio = 1, m_contentHeight = 0, m_left = 0;
    QRectF m_chart, m_ruler, m_legend;
    std::vector<Header> m_headers;
    std::vector<Row> m_rows;
    TimelineWindow m_window;
};

} // namespace graphloom
