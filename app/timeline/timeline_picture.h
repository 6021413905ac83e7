// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/timeline_bands.h"

#include <QFont>
#include <QRectF>

#include <optional>

namespace graphloom {

/// What of a timeline is to be seen, and how.
struct TimelineLook {
    bool inTime = false;     // else in steps
    bool arena = false;      // tensors at their offsets, else stacked
    bool weights = true;     // as a band at the bottom
    double from = 0, to = 0; // on the axis; empty: all of it
    bool operator==(const TimelineLook &) const = default;
};

/// A timeline, and another one that is drawn as an outline over it.
struct TimelineScene {
    TimelinePointer timeline, compared; // the second may be null
    QString comparedName;
    TimelineLook look;
    std::optional<std::int64_t> limit; // bytes that are allowed
    /// Lives that are drawn however thin they are; sorted.
    std::vector<std::uint32_t> marked;
};

/// A timeline laid out for a rectangle: where everything is, without colours. To paint it see
/// timeline_painter.h.
class TimelinePicture {
public:
    /// What is at a place.
    struct Hit {
        enum class Kind { None, Tensor, Others, Weights, Transfer, Step };
        Kind kind = Kind::None;
        std::uint32_t index = 0; // of the tensor or transfer
        std::uint32_t step = 0;  // also of none, where the place is over the axis
        bool operator==(const Hit &) const = default;
    };

    TimelinePicture() = default;
    /// `ratio`: device pixels in one of the rectangle's.
    TimelinePicture(TimelineScene scene, const QRectF &rect, const QFont &font, double ratio = 1);

    const TimelineScene &scene() const { return m_scene; }
    const MemoryTimeline &timeline() const { return *m_scene.timeline; }
    bool isEmpty() const { return !m_scene.timeline || m_scene.timeline->isEmpty(); }
    const QFont &font() const { return m_font; }
    double ratio() const { return m_ratio; }

    const QRectF &chart() const { return m_chart; }
    const QRectF &legend() const { return m_legend; }
    /// Empty where there is nothing to be told in it.
    const QRectF &stores() const { return m_stores; }
    const QRectF &loads() const { return m_loads; }
    const QRectF &repeats() const { return m_repeats; }
    const TimelineWindow &window() const { return m_bands.window; }
    const TimelineBands &bands() const { return m_bands; }
    /// Of the compared timeline, by column up to where it ends.
    const std::vector<std::uint32_t> &comparedSteps() const { return m_compared; }
    /// Bytes at the upper edge.
    double most() const { return m_most; }
    /// Under the tensors.
    std::int64_t base() const { return m_base; }
    /// Bytes at a step as they are drawn: without weights when those are not.
    double shown(std::int64_t bytes, std::int64_t resident) const;

    double xOf(double place) const;
    double placeOf(double x) const;
    double yOf(double bytes) const; // weights included, where they are drawn
    double bytesAt(double y) const;
    /// The middle of what is drawn of a step; it may be out of the chart.
    double xOfStep(std::uint32_t step) const;
    int columnAt(double x) const;
    /// Where a life is drawn in a column: its lower and upper edge; none where it is not.
    std::optional<std::pair<double, double>> edgesOf(std::uint32_t tensor, int column) const;

    Hit at(const QPointF &place) const;
    /// Lives at a step that can be walked through, from the bottom to the top.
    std::vector<std::uint32_t> aliveAt(std::uint32_t step) const;

private:
    Hit inChart(const QPointF &place, std::uint32_t step) const;

    TimelineScene m_scene;
    QFont m_font;
    double m_ratio = 1, m_most = 1;
    std::int64_t m_base = 0;
    QRectF m_chart, m_legend, m_stores, m_loads, m_repeats;
    TimelineBands m_bands;
    std::vector<std::uint32_t> m_compared;
};

} // namespace graphloom
