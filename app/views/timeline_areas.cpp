// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/timeline_areas.h"

#include "app/views/timeline_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

constexpr int leastPattern = 4, leastBorder = 4; // device pixels high
constexpr std::size_t mostLabels = 60;
constexpr double leastLabel = 46; // pixels wide

bool isOnPattern(AreaPattern pattern, int x, int y)
{
    switch (pattern) {
    case AreaPattern::Plain:
        return false;
    case AreaPattern::Upright:
        return x % 6 == 0;
    case AreaPattern::Level:
        return y % 5 == 0;
    case AreaPattern::Rising:
        return (x + y) % 7 == 0;
    case AreaPattern::Falling:
        return ((x - y) % 5 + 5) % 5 < 2;
    case AreaPattern::Dots:
        return x % 4 == 0 && y % 4 == 0;
    case AreaPattern::Crossed:
        return (x + y) % 8 == 0 || ((x - y) % 8 + 8) % 8 == 0;
    }
    return false;
}

/// A colour with what is darker of it: reckoned once, not for each of thousands of areas.
struct Ink {
    Ink() = default;
    explicit Ink(const QColor &of)
        : colour(of), fill(of.rgb()), edge(of.darker(122).rgb()), pattern(of.darker(114).rgb())
    {
    }
    QColor colour;
    QRgb fill = 0, edge = 0, pattern = 0;
};

/// Where areas go: to pixels, or to a painter that draws paths.
class AreaCanvas {
public:
    virtual ~AreaCanvas() = default;
    /// From the lower edge to the upper one and from column to column, in device pixels of the
    /// chart, exclusive at the end. `begins`: has an edge at the left.
    virtual void fill(int left, int right, int lower, int upper, const Ink &ink,
                      AreaPattern pattern, bool begins) = 0;
    /// Is there something at a place already?
    virtual bool isTaken(int column, int row) const = 0;
};

class PixelCanvas final : public AreaCanvas {
public:
    PixelCanvas(int width, int height) : m_image(width, height, QImage::Format_ARGB32_Premultiplied)
    {
        m_image.fill(Qt::transparent);
        m_bits = reinterpret_cast<QRgb *>(m_image.bits());
        m_stride = int(m_image.bytesPerLine() / qsizetype(sizeof(QRgb)));
    }
    void fill(int left, int right, int lower, int upper, const Ink &ink, AreaPattern pattern,
              bool begins) override
    {
        const int height = m_image.height();
        const int top = std::clamp(height - upper, 0, height);
        const int bottom = std::clamp(height - lower, 0, height);
        left = std::clamp(left, 0, m_image.width());
        right = std::clamp(right, 0, m_image.width());
        for (int y = top; y < bottom; ++y) {
            QRgb *line = m_bits + std::ptrdiff_t(y) * m_stride;
            const bool edge = y == top && bottom - top >= leastBorder;
            std::fill(line + left, line + right, edge ? ink.edge : ink.fill);
            if (!edge && pattern != AreaPattern::Plain && bottom - top >= leastPattern)
                for (int x = left; x < right; ++x)
                    if (isOnPattern(pattern, x, y))
                        line[x] = ink.pattern;
            if (begins && right - left >= leastBorder)
                line[left] = ink.edge;
        }
    }
    bool isTaken(int column, int row) const override
    {
        const int y = m_image.height() - 1 - row;
        return y < 0 || y >= m_image.height() || column >= m_image.width() ||
               m_bits[std::ptrdiff_t(y) * m_stride + column] != 0;
    }
    const QImage &image() const { return m_image; }

private:
    QImage m_image;
    QRgb *m_bits;
    int m_stride;
};

class PathCanvas final : public AreaCanvas {
public:
    PathCanvas(QPainter &painter, const QRectF &chart, double ratio)
        : m_painter(painter), m_chart(chart), m_ratio(ratio)
    {
    }
    void fill(int left, int right, int lower, int upper, const Ink &ink, AreaPattern, bool) override
    {
        m_painter.fillRect(QRectF(m_chart.left() + left / m_ratio,
                                  m_chart.bottom() - upper / m_ratio, (right - left) / m_ratio,
                                  (upper - lower) / m_ratio),
                           ink.colour);
    }
    bool isTaken(int, int) const override { return true; }

private:
    QPainter &m_painter;
    QRectF m_chart;
    double m_ratio;
};

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
                m_inks[kind][tone] = Ink(toned(theme.tensors[kind], tone));
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
    const Ink &inkOf(std::uint32_t tensor) const
    {
        return m_inks[std::size_t(m_picture.timeline().tensors[tensor].kind)][toneOf(tensor)];
    }
    int pixels(double bytes) const { return int(bytes * m_scale + 0.5); }

    /// Columns that are after the last step are empty: the compared timeline is longer.
    int usedColumns() const
    {
        const TimelineWindow &window = m_picture.window();
        const MemoryTimeline &timeline = m_picture.timeline();
        const double end = timeline.beginOf(timeline.stepCount(), window.inTime);
        return std::clamp(int(std::ceil(window.column(end))), 0, window.columns);
    }

    void weights()
    {
        const int height = pixels(double(m_picture.base()));
        if (height > 0)
            m_canvas.fill(0, usedColumns(), 0, height, Ink(m_theme.tensors[5]), AreaPattern::Plain,
                          false);
    }

    void stack()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        const TimelineBands &bands = m_picture.bands();
        const int used = usedColumns();
        m_columns.assign(std::size_t(bands.window.columns),
                         {m_picture.base(), pixels(double(m_picture.base()))});
        for (const TimelineBands::Band &band : bands.bands) {
            const MemoryTimeline::Tensor &tensor = timeline.tensors[band.tensor];
            area(
                band.first, std::min(band.last + 1, used),
                [&](int c) { return tensor.bytesAt(bands.steps[std::size_t(c)]); },
                inkOf(band.tensor), tensor.again ? AreaPattern::Falling : patternOf(tensor.kind),
                band.tensor);
        }
        for (std::size_t kind = 0; kind < bands.others.size(); ++kind)
            area(
                0, used, [&](int c) { return bands.others[kind][std::size_t(c)]; },
                Ink(m_theme.tensors[kind]), AreaPattern::Crossed, std::nullopt);
        area(
            0, used, [&](int c) { return bands.extras[std::size_t(c)]; }, Ink(m_theme.tensors[6]),
            AreaPattern::Plain, std::nullopt);
    }

    /// One band: as few rectangles as its edges have steps.
    template <class BytesOf>
    void area(int first, int end, BytesOf bytesOf, const Ink &ink, AreaPattern pattern,
              std::optional<std::uint32_t> tensor)
    {
        QRectF room;
        int begin = first, lower = 0, upper = 0;
        const auto endRun = [&](int c) {
            if (upper > lower && c > begin)
                m_canvas.fill(begin, c, lower, upper, ink, pattern, begin == first);
            if (const QRectF here = rectOf(begin, c, lower, upper);
                tensor && here.height() >= m_textHeight && here.width() > room.width())
                room = here;
            begin = c;
        };
        for (int c = first; c < end; ++c) {
            Column &column = m_columns[std::size_t(c)];
            column.bytes += bytesOf(c);
            const int under = std::exchange(column.pixels, pixels(double(column.bytes)));
            if (under != lower || column.pixels != upper) {
                endRun(c);
                lower = under;
                upper = column.pixels;
            }
        }
        endRun(end);
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
                // Lower than a pixel: where others are, they show that something is.
                if (m_canvas.isTaken(left, lower) || m_canvas.isTaken(right - 1, lower))
                    continue;
                upper = lower + 1;
            }
            m_canvas.fill(left, right, lower, upper, inkOf(t),
                          tensor.again ? AreaPattern::Falling : patternOf(tensor.kind), true);
            if (const QRectF room = rectOf(left, right, lower, upper);
                room.height() >= m_textHeight && room.width() >= leastLabel)
                m_labels.push_back({t, room});
        }
    }

    const TimelinePicture &m_picture;
    const Theme &m_theme;
    AreaCanvas &m_canvas;
    double m_textHeight, m_scale;
    /// Of what is stacked so far: its height.
    struct Column {
        std::int64_t bytes;
        int pixels;
    };
    std::vector<Column> m_columns;
    std::array<std::array<Ink, tones>, MemoryTimeline::classCount> m_inks;
    std::vector<AreaLabel> m_labels;
};

} // namespace

AreaPattern patternOf(MemoryTimeline::Class kind)
{
    switch (kind) {
    case MemoryTimeline::Class::Input:
        return AreaPattern::Upright;
    case MemoryTimeline::Class::Output:
        return AreaPattern::Level;
    case MemoryTimeline::Class::Gradient:
        return AreaPattern::Rising;
    case MemoryTimeline::Class::Update:
        return AreaPattern::Dots;
    case MemoryTimeline::Class::Activation:
        break;
    }
    return AreaPattern::Plain;
}

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

void paintSample(QPainter &painter, const QRectF &rect, const QColor &colour, AreaPattern pattern)
{
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {
        painter.fillRect(rect, colour);
        return;
    }
    PixelCanvas canvas(int(rect.width()), int(rect.height()));
    canvas.fill(0, int(rect.width()), 0, int(rect.height()), Ink(colour), pattern, false);
    painter.drawImage(rect.topLeft(), canvas.image());
}

} // namespace graphloom
