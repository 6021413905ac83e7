// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/timeline_bands.h"

#include <QFont>
#include <QRectF>

#include <optional>

namespace graphloom {

/// Tells which part of a timeline is shown, and how.
struct TimelineLook {
    bool inTime = false;     // false: in steps
    bool arena = false;      // tensors at their offsets; false: stacked
    bool weights = true;     // shows weights as a band at the bottom
    double from = 0, to = 0; // range on the axis; empty: all of it
    bool operator==(const TimelineLook &) const = default;
};

/// A timeline, and another one that is drawn over it as an outline.
struct TimelineScene {
    TimelinePointer timeline, compared; // the second may be null
    QString comparedName;
    TimelineLook look;
    std::optional<std::int64_t> limit; // allowed bytes
    /// Lifetimes that are drawn however thin they are; sorted.
    std::vector<std::uint32_t> marked;
};

/// A timeline laid out for a rectangle: where everything is, without colours. It is painted by the
/// functions in timeline_painter.h.
class TimelinePicture {
public:
    /// Describes what is at a place.
    struct Hit {
        enum class Kind { None, Tensor, Others, Weights, Transfer, Step };
        Kind kind = Kind::None;
        std::uint32_t index = 0; // of the tensor or transfer
        std::uint32_t step = 0;  // step at the place, if the kind is not None
        bool operator==(const Hit &) const = default;
    };

    TimelinePicture() = default;
    /// Lays out a scene for a rectangle. `ratio` is the number of device pixels per unit of the
    /// rectangle.
    TimelinePicture(TimelineScene scene, const QRectF &rect, const QFont &font, double ratio = 1);

    const TimelineScene &scene() const { return m_scene; }
    const MemoryTimeline &timeline() const { return *m_scene.timeline; }
    bool isEmpty() const { return !m_scene.timeline || m_scene.timeline->isEmpty(); }
    const QFont &font() const { return m_font; }
    double ratio() const { return m_ratio; }

    const QRectF &chart() const { return m_chart; }
    const QRectF &legend() const { return m_legend; }
    /// These return the lanes for stores, loads and recomputation; empty if there is nothing to
    /// show in them.
    const QRectF &stores() const { return m_stores; }
    const QRectF &loads() const { return m_loads; }
    const QRectF &repeats() const { return m_repeats; }
    const TimelineWindow &window() const { return m_bands.window; }
    const TimelineBands &bands() const { return m_bands; }
    /// Returns the steps of the compared timeline, by column up to its end.
    const IndexedVector<ColumnIndex, std::uint32_t> &comparedSteps() const { return m_compared; }
    /// Returns the bytes at the upper edge.
    double most() const { return m_most; }
    /// Returns the bytes below the tensors: those of the weights, if they are drawn.
    std::int64_t base() const { return m_base; }
    /// Returns the bytes at a step as they are drawn: without weights if those are not drawn.
    double shown(std::int64_t bytes, std::int64_t resident) const;

    double xOf(double place) const;
    double placeOf(double x) const;
    double yOf(double bytes) const; // weights included, where they are drawn
    double bytesAt(double y) const;
    /// Returns the x of the middle of a step, which may be outside of the chart.
    double xOfStep(std::uint32_t step) const;
    /// Returns the column at an x, which may be outside of the chart.
    ColumnIndex columnAt(double x) const;
    /// Returns the y of the lower and upper edge of a lifetime in a column, or nothing when it is
    /// not drawn there.
    std::optional<std::pair<double, double>> edgesOf(std::uint32_t tensor,
                                                     ColumnIndex column) const;

    Hit at(const QPointF &place) const;
    /// Returns the lifetimes at a step that can be walked through, from bottom to top.
    std::vector<std::uint32_t> aliveAt(std::uint32_t step) const;

private:
    Hit inChart(const QPointF &place, std::uint32_t step) const;

    TimelineScene m_scene;
    QFont m_font;
    double m_ratio = 1, m_most = 1;
    std::int64_t m_base = 0;
    QRectF m_chart, m_legend, m_stores, m_loads, m_repeats;
    TimelineBands m_bands;
    IndexedVector<ColumnIndex, std::uint32_t> m_compared;
};

} // namespace graphloom
