// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_areas.h"

#include "app/timeline/area_canvas.h"
#include "app/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

constexpr std::size_t mostLabels = 60;
constexpr double leastLabel = 46; // pixels wide

struct AreaLabel {
    std::uint32_t tensor;
    QRectF room; // in the painter's units
    double area() const { return room.width() * room.height(); }
};

class AreaPainter {
public:
    AreaPainter(const TimelinePicture &picture, const Theme &theme, AreaCanvas &canvas,
                double textHeight)
        : m_picture(picture), m_theme(theme), m_canvas(canvas), m_textHeight(textHeight),
          m_scale(picture.chart().height() * picture.ratio() / picture.most())
    {
        for (std::size_t kind = 0; kind < m_inks.size(); ++kind)
            for (std::uint32_t tone = 0; tone < tones; ++tone)
                m_inks[kind][tone] = AreaInk(toned(theme.tensors[kind], tone));
    }

    std::vector<AreaLabel> paint()
    {
        weights();
        if (m_picture.scene().look.arena)
            arena();
        else
            stack();
        std::ranges::stable_sort(m_labels, std::ranges::greater{}, &AreaLabel::area);
        if (m_labels.size() > mostLabels)
            m_labels.resize(mostLabels);
        return std::move(m_labels);
    }

private:
    const AreaInk &inkOf(std::uint32_t tensor) const
    {
        return m_inks[std::size_t(m_picture.timeline().tensors[tensor].kind)][toneOf(tensor)];
    }
    int pixels(double bytes) const { return int(bytes * m_scale + 0.5); }

    /// Returns the column after the last step. Columns from there on are empty if the compared
    /// timeline is longer.
    ColumnIndex columnsEnd() const
    {
        const TimelineWindow &window = m_picture.window();
        const MemoryTimeline &timeline = m_picture.timeline();
        const double end = timeline.beginOf(timeline.stepCount(), window.inTime);
        return ColumnIndex(std::clamp(int(std::ceil(window.column(end))), 0, window.columns));
    }

    void weights()
    {
        const int height = pixels(double(m_picture.base()));
        if (height > 0)
            m_canvas.fill(0, columnsEnd().number(), 0, height, AreaInk(m_theme.tensors[5]),
                          AreaPattern::Plain, false);
        m_canvas.next();
    }

    void stack()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        const TimelineBands &bands = m_picture.bands();
        const ColumnIndex begin(0), used = columnsEnd();
        m_columns.assign(std::size_t(bands.window.columns),
                         {m_picture.base(), pixels(double(m_picture.base()))});
        for (const TimelineBands::Band &band : bands.bands) {
            const MemoryTimeline::Tensor &tensor = timeline.tensors[band.tensor];
            area(
                band.first, std::min(band.last + 1, used),
                [&](ColumnIndex c) { return tensor.bytesAt(bands.steps[c]); }, inkOf(band.tensor),
                tensor.again ? AreaPattern::Falling : patternOf(tensor.kind), band.tensor);
        }
        for (std::size_t kind = 0; kind < bands.others.size(); ++kind)
            area(
                begin, used, [&](ColumnIndex c) { return bands.others[kind][c]; },
                AreaInk(m_theme.tensors[kind]), AreaPattern::Crossed, std::nullopt);
        area(
            begin, used, [&](ColumnIndex c) { return bands.extras[c]; },
            AreaInk(m_theme.tensors[6]), AreaPattern::Plain, std::nullopt);
    }

    /// Fills one band with as few rectangles as its edges have steps.
    template <class BytesOf>
    void area(ColumnIndex first, ColumnIndex end, BytesOf bytesOf, const AreaInk &ink,
              AreaPattern pattern, std::optional<std::uint32_t> tensor)
    {
        QRectF room;
        ColumnIndex begin = first;
        int lower = 0, upper = 0;
        const auto endRun = [&](ColumnIndex c) {
            if (upper > lower && c > begin)
                m_canvas.fill(begin.number(), c.number(), lower, upper, ink, pattern,
                              begin == first);
            if (const QRectF here = rectOf(begin.number(), c.number(), lower, upper);
                tensor && here.height() >= m_textHeight && here.width() > room.width())
                room = here;
            begin = c;
        };
        for (const ColumnIndex c : IndexRange(first, end)) {
            Column &column = m_columns[c];
            column.bytes += bytesOf(c);
            const int under = std::exchange(column.pixels, pixels(double(column.bytes)));
            if (under != lower || column.pixels != upper) {
                endRun(c);
                lower = under;
                upper = column.pixels;
            }
        }
        endRun(end);
        m_canvas.next();
        if (room.width() >= leastLabel)
            m_labels.push_back({*tensor, room});
    }

    QRectF rectOf(int left, int right, int lower, int upper) const
    {
        const double ratio = m_picture.ratio();
        const QRectF &chart = m_picture.chart();
        return {chart.left() + left / ratio, chart.bottom() - upper / ratio, (right - left) / ratio,
                (upper - lower) / ratio};
    }

    void arena()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        const TimelineWindow &window = m_picture.window();
        for (const std::uint32_t t : timeline.stack) {
            const MemoryTimeline::Tensor &tensor = timeline.tensors[t];
            if (tensor.offset < 0 || tensor.bytes == 0)
                continue;
            const double from = timeline.beginOf(tensor.first, window.inTime);
            const double to = timeline.beginOf(tensor.last + 1, window.inTime);
            if (to <= window.from || from >= window.to)
                continue;
            const int left = std::max(0, int(std::floor(window.column(from))));
            const int right =
                std::min(window.columns, std::max(left + 1, int(std::floor(window.column(to)))));
            const double below = double(m_picture.base() + tensor.offset);
            const int lower = pixels(below);
            int upper = pixels(below + double(tensor.bytes));
            if (upper == lower) {
                // Lower than a pixel: other tensors at this place already show that it is used.
                if (m_canvas.isTaken(left, lower) || m_canvas.isTaken(right - 1, lower))
                    continue;
                upper = lower + 1;
            }
            m_canvas.fill(left, right, lower, upper, inkOf(t),
                          tensor.again ? AreaPattern::Falling : patternOf(tensor.kind), true);
            m_canvas.next();
            if (const QRectF room = rectOf(left, right, lower, upper);
                room.height() >= m_textHeight && room.width() >= leastLabel)
                m_labels.push_back({t, room});
        }
    }

    const TimelinePicture &m_picture;
    const Theme &m_theme;
    AreaCanvas &m_canvas;
    double m_textHeight, m_scale;
    /// Holds the height of what is stacked so far.
    struct Column {
        std::int64_t bytes;
        int pixels;
    };
    IndexedVector<ColumnIndex, Column> m_columns;
    std::array<std::array<AreaInk, tones>, MemoryTimeline::classCount> m_inks;
    std::vector<AreaLabel> m_labels;
};

} // namespace

void paintAreas(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
{
    const QFontMetricsF metrics(picture.font());
    const QRectF &chart = picture.chart();
    std::vector<AreaLabel> labels;
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        PixelCanvas canvas(picture.window().columns,
                           std::max(1, int(std::round(chart.height() * picture.ratio()))));
        labels = AreaPainter(picture, theme, canvas, metrics.height()).paint();
        painter.drawImage(chart, canvas.image());
    } else {
        PathCanvas canvas(painter, chart, picture.ratio());
        labels = AreaPainter(picture, theme, canvas, metrics.height()).paint();
    }
    painter.setFont(picture.font());
    for (const AreaLabel &label : labels) {
        const MemoryTimeline &timeline = picture.timeline();
        const QRectF room = label.room.adjusted(4, 0, -4, 0);
        painter.setPen(textOn(colourOf(theme, timeline, label.tensor)));
        painter.drawText(
            room, Qt::AlignCenter,
            metrics.elidedText(timeline.tensors[label.tensor].name, Qt::ElideMiddle, room.width()));
    }
}

} // namespace graphloom
