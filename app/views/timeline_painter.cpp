// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/timeline_painter.h"

#include "app/models/format.h"
#include "app/views/timeline_areas.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom {

namespace {

struct TimelinePainterText {
    Q_DECLARE_TR_FUNCTIONS(TimelinePainter)
};

/// What grid lines of bytes are apart, about six of them: a power of two.
double byteStep(double most)
{
    return std::exp2(std::ceil(std::log2(std::max(1.0, most / 7))));
}

/// 1, 2 or 5 times a power of ten.
double decimalStep(double range, double most)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(1e-12, range / most))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (range / most <= factor * power)
            return factor * power;
    return 10 * power;
}

class ScalePainter {
public:
    ScalePainter(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
        : m_painter(painter), m_picture(picture), m_theme(theme), m_metrics(picture.font())
    {
    }

    void grid()
    {
        const QRectF &chart = m_picture.chart();
        m_painter.setPen(m_theme.palette.color(QPalette::PlaceholderText));
        const double step = byteStep(m_picture.most());
        for (double bytes = 0; bytes <= m_picture.most(); bytes += step) {
            const double y = std::round(m_picture.yOf(bytes));
            m_painter.fillRect(QRectF(chart.left(), y, chart.width(), 1), m_theme.border);
            m_painter.drawText(QRectF(chart.left() - 200, y - 10, 196, 20),
                               Qt::AlignRight | Qt::AlignVCenter,
                               bytes > 0 ? formatBytes(bytes) : QStringLiteral("0"));
        }
        const TimelineWindow &window = m_picture.window();
        const double least = window.inTime ? 1e-9 : 1;
        const double apart =
            std::max(least, decimalStep(window.to - window.from,
                                        std::max(2.0, std::floor(chart.width() / 110))));
        const double y = axisTop();
        for (double place = std::ceil(window.from / apart) * apart; place <= window.to;
             place += apart) {
            const double x = m_picture.xOf(place);
            m_painter.fillRect(QRectF(std::round(x), chart.bottom(), 1, 3), m_theme.border);
            const QString text = formatPlace(place, apart);
            const double width = m_metrics.horizontalAdvance(text) + 2;
            const double left = std::min(x - width / 2, chart.right() + 6 - width);
            m_painter.drawText(QRectF(left, y, width, 20), Qt::AlignHCenter | Qt::AlignTop, text);
        }
        m_painter.drawText(QRectF(chart.left() - 200, y, 182, 20), Qt::AlignRight | Qt::AlignTop,
                           window.inTime ? TimelinePainterText::tr("ms")
                                         : TimelinePainterText::tr("step"));
    }

    void curves()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        m_painter.setPen(QPen(m_theme.palette.color(QPalette::WindowText), 1));
        m_painter.drawPolyline(curveOf(timeline, m_picture.bands().steps, timeline.residentBytes));
        if (const TimelinePointer &other = m_picture.scene().compared) {
            m_painter.setPen(QPen(comparedColour(), 1.5, Qt::CustomDashLine));
            QPen pen = m_painter.pen();
            pen.setDashPattern({4, 3});
            m_painter.setPen(pen);
            m_painter.drawPolyline(
                curveOf(*other, m_picture.comparedSteps(), other->residentBytes));
        }
    }

    void levels()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        std::vector<double> taken;
        const auto level = [&](double bytes, const QString &text, const QColor &colour,
                               Qt::PenStyle style) {
            const double y = std::round(m_picture.yOf(bytes)) + 0.5;
            const QRectF &chart = m_picture.chart();
            m_painter.setPen(QPen(colour, 1, style));
            m_painter.drawLine(QPointF(chart.left(), y), QPointF(chart.right(), y));
            const double width = m_metrics.horizontalAdvance(text) + 8;
            QRectF room(chart.right() - width, y - m_metrics.height() - 1, width,
                        m_metrics.height());
            for (const double other : taken)
                if (std::abs(other - room.top()) < room.height())
                    room.moveTop(other + room.height() + 1);
            taken.push_back(room.top());
            QColor ground = m_theme.palette.color(QPalette::Base);
            ground.setAlpha(215);
            m_painter.fillRect(room, ground);
            m_painter.setPen(m_theme.palette.color(QPalette::WindowText));
            m_painter.drawText(room, Qt::AlignCenter, text);
        };
        const QColor text = m_theme.palette.color(QPalette::WindowText);
        if (const TimelinePointer &other = m_picture.scene().compared)
            level(m_picture.shown(other->peakBytes, other->residentBytes),
                  TimelinePainterText::tr("%1: %2").arg(m_picture.scene().comparedName,
                                                        formatBytes(double(other->peakBytes))),
                  comparedColour(), Qt::DotLine);
        level(m_picture.shown(timeline.peakBytes, timeline.residentBytes),
              TimelinePainterText::tr("peak %1 at step %2")
                  .arg(formatBytes(double(timeline.peakBytes)))
                  .arg(timeline.peakStep),
              text, Qt::DotLine);
        if (m_picture.scene().look.arena && timeline.arenaBytes)
            level(
                double(*timeline.arenaBytes + m_picture.base()),
                TimelinePainterText::tr("arena %1").arg(formatBytes(double(*timeline.arenaBytes))),
                text, Qt::SolidLine);
        if (const auto &limit = m_picture.scene().limit)
            level(m_picture.shown(*limit, timeline.residentBytes),
                  TimelinePainterText::tr("limit %1").arg(formatBytes(double(*limit))),
                  m_theme.error, Qt::DashLine);
    }

    void hotSpots()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setPen(QPen(m_theme.palette.color(QPalette::WindowText), 1));
        m_painter.setBrush(m_theme.error);
        for (const std::uint32_t step : timeline.hotSpots) {
            const double x = m_picture.xOfStep(step);
            if (x < m_picture.chart().left() || x > m_picture.chart().right())
                continue;
            const double y =
                m_picture.yOf(m_picture.shown(timeline.steps[step].bytes, timeline.residentBytes)) -
                2;
            m_painter.drawPolygon(QPolygonF{{x, y}, {x - 5, y - 8}, {x + 5, y - 8}});
        }
        m_painter.setBrush(Qt::NoBrush);
    }

    void lanes()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        const bool inTime = m_picture.window().inTime;
        const QColor out = m_theme.series.front(), in = m_theme.series.back();
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        std::vector<std::uint8_t> stores(columns()), loads(columns()), again(columns());
        for (const MemoryTimeline::Transfer &transfer : timeline.transfers)
            mark(transfer.load ? loads : stores, inTime ? transfer.startMs : transfer.first,
                 inTime ? transfer.endMs : transfer.last + 1);
        for (std::uint32_t step = 0; step < timeline.stepCount(); ++step)
            if (timeline.steps[step].again)
                mark(again, timeline.beginOf(step, inTime), timeline.beginOf(step + 1, inTime));
        lane(m_picture.stores(), stores, out, TimelinePainterText::tr("stores"));
        lane(m_picture.loads(), loads, in, TimelinePainterText::tr("loads"));
        lane(m_picture.repeats(), again, m_theme.palette.color(QPalette::WindowText),
             TimelinePainterText::tr("again"));
    }

    void legend()
    {
        const MemoryTimeline &timeline = m_picture.timeline();
        const QRectF &room = m_picture.legend();
        double x = room.left();
        const auto entry = [&](const QString &text, auto sample) {
            const double width = 20 + m_metrics.horizontalAdvance(text) + 14;
            if (x + width > room.right() + 10)
                return;
            sample(QRectF(x, room.top() + 3, 14, room.height() - 6));
            m_painter.setPen(m_theme.palette.color(QPalette::WindowText));
            m_painter.drawText(QRectF(x + 19, room.top(), width, room.height()),
                               Qt::AlignLeft | Qt::AlignVCenter, text);
            x += width;
        };
        std::array<bool, MemoryTimeline::classCount> used{};
        bool again = false;
        for (const MemoryTimeline::Tensor &tensor : timeline.tensors) {
            used[std::size_t(tensor.kind)] = true;
            again = again || tensor.again;
        }
        if (m_picture.base() > 0)
            entry(TimelinePainterText::tr("weights"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[5], AreaPattern::Plain);
            });
        for (std::size_t kind = 0; kind < used.size(); ++kind)
            if (used[kind])
                entry(nameOf(MemoryTimeline::Class(kind)), [&](const QRectF &rect) {
                    paintSample(m_painter, rect, m_theme.tensors[kind],
                                patternOf(MemoryTimeline::Class(kind)));
                });
        if (again)
            entry(TimelinePainterText::tr("computed again"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[0], AreaPattern::Falling);
            });
        if (!m_picture.scene().look.arena)
            entry(TimelinePainterText::tr("several, each too thin"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[0], AreaPattern::Crossed);
            });
        if (std::ranges::any_of(m_picture.bands().extras,
                                [](std::int64_t bytes) { return bytes > 0; }) &&
            !m_picture.scene().look.arena)
            entry(TimelinePainterText::tr("parts that are cut or joined"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[6], AreaPattern::Plain);
            });
        if (m_picture.scene().compared)
            entry(m_picture.scene().comparedName, [&](const QRectF &rect) {
                m_painter.setPen(QPen(comparedColour(), 1.5, Qt::DashLine));
                m_painter.drawLine(rect.left(), rect.center().y(), rect.right(), rect.center().y());
            });
        entry(TimelinePainterText::tr("hot-spot"), [&](const QRectF &rect) {
            m_painter.setRenderHint(QPainter::Antialiasing);
            m_painter.setPen(QPen(m_theme.palette.color(QPalette::WindowText), 1));
            m_painter.setBrush(m_theme.error);
            const QPointF tip(rect.center().x(), rect.bottom());
            m_painter.drawPolygon(QPolygonF{tip, tip + QPointF(-5, -8), tip + QPointF(5, -8)});
            m_painter.setBrush(Qt::NoBrush);
        });
    }

private:
    QColor comparedColour() const { return m_theme.series.back(); }
    std::size_t columns() const { return std::size_t(m_picture.window().columns); }
    double axisTop() const
    {
        double y = m_picture.chart().bottom();
        for (const QRectF &lane : {m_picture.stores(), m_picture.loads(), m_picture.repeats()})
            y = std::max(y, lane.bottom());
        return y + 4;
    }
    static QString formatPlace(double place, double apart)
    {
        const int decimals = std::max(0, int(-std::floor(std::log10(apart) + 1e-9)));
        return QString::number(place, 'f', decimals);
    }

    /// A line of steps, with the fewest corners.
    QPolygonF curveOf(const MemoryTimeline &timeline, const std::vector<std::uint32_t> &steps,
                      std::int64_t resident) const
    {
        QPolygonF line;
        const TimelineWindow &window = m_picture.window();
        const double end = window.column(timeline.beginOf(timeline.stepCount(), window.inTime));
        double last = -1;
        for (std::size_t c = 0; c < steps.size() && double(c) < end; ++c) {
            const double x = m_picture.chart().left() + double(c) / m_picture.ratio();
            const double y =
                m_picture.yOf(m_picture.shown(timeline.steps[steps[c]].bytes, resident));
            if (!line.isEmpty() && y == last)
                continue;
            if (!line.isEmpty())
                line << QPointF(x, last);
            line << QPointF(x, y);
            last = y;
        }
        if (!line.isEmpty())
            line << QPointF(std::min(m_picture.chart().right(),
                                     m_picture.chart().left() + end / m_picture.ratio()),
                            last);
        return line;
    }

    void mark(std::vector<std::uint8_t> &lane, double from, double to) const
    {
        const TimelineWindow &window = m_picture.window();
        if (to < window.from || from > window.to)
            return;
        const int last = window.columns - 1;
        const int first = std::clamp(int(window.column(from)), 0, last);
        const int end = std::clamp(int(window.column(to)), first, last);
        std::fill(lane.begin() + first, lane.begin() + end + 1, std::uint8_t(1));
    }

    void lane(const QRectF &rect, const std::vector<std::uint8_t> &used, const QColor &colour,
              const QString &name)
    {
        if (rect.isEmpty())
            return;
        m_painter.fillRect(rect, m_theme.palette.color(QPalette::AlternateBase));
        for (std::size_t c = 0; c < used.size();) {
            const std::size_t begin = c;
            while (c < used.size() && used[c])
                ++c;
            if (c > begin)
                m_painter.fillRect(QRectF(rect.left() + double(begin) / m_picture.ratio(),
                                          rect.top() + 1, double(c - begin) / m_picture.ratio(),
                                          rect.height() - 2),
                                   colour);
            else
                ++c;
        }
        m_painter.setPen(m_theme.palette.color(QPalette::PlaceholderText));
        m_painter.drawText(QRectF(rect.left() - 200, rect.center().y() - 10, 196, 20),
                           Qt::AlignRight | Qt::AlignVCenter, name);
    }

    QPainter &m_painter;
    const TimelinePicture &m_picture;
    const Theme &m_theme;
    QFontMetricsF m_metrics;
};

/// Around a life, as it is drawn.
QPainterPath outlineOf(const TimelinePicture &picture, std::uint32_t tensor)
{
    QPainterPath path;
    const QRectF &chart = picture.chart();
    const MemoryTimeline &timeline = picture.timeline();
    const MemoryTimeline::Tensor &of = timeline.tensors[tensor];
    const TimelineWindow &window = picture.window();
    if (picture.scene().look.arena) {
        const auto edges = picture.edgesOf(tensor, 0);
        if (!edges)
            return path;
        const double left = picture.xOf(timeline.beginOf(of.first, window.inTime));
        const double right = picture.xOf(timeline.beginOf(of.last + 1, window.inTime));
        path.addRect(QRectF(left, edges->second, right - left, edges->first - edges->second)
                         .intersected(chart.adjusted(-2, -2, 2, 2)));
        return path;
    }
    const TimelineBands &bands = picture.bands();
    const auto band = std::ranges::find(bands.bands, tensor, &TimelineBands::Band::tensor);
    if (band == bands.bands.end())
        return path;
    QPolygonF upper, lower;
    const std::vector<std::int64_t> under = bands.under(timeline, *band);
    for (int c = band->first; c <= band->last; ++c) {
        const std::uint32_t step = bands.steps[std::size_t(c)];
        const double below = double(picture.base() + under[std::size_t(c - band->first)]);
        const double x = chart.left() + c / picture.ratio(), next = x + 1 / picture.ratio();
        const double top = picture.yOf(below + double(of.bytesAt(step)));
        upper << QPointF(x, top) << QPointF(next, top);
        lower << QPointF(x, picture.yOf(below)) << QPointF(next, picture.yOf(below));
    }
    std::reverse(lower.begin(), lower.end());
    path.addPolygon(upper + lower);
    path.closeSubpath();
    return path;
}

} // namespace

QColor toned(const QColor &colour, std::uint32_t tone)
{
    switch (tone) {
    case 0:
        return colour;
    case 1:
        return colour.lighter(108);
    case 2:
        return colour.lighter(116);
    default:
        return colour.darker(109);
    }
}

QColor colourOf(const Theme &theme, const MemoryTimeline &timeline, std::uint32_t tensor)
{
    return toned(theme.tensors[std::size_t(timeline.tensors[tensor].kind)], toneOf(tensor));
}

void paintTimeline(QPainter &painter, TimelineScene scene, const QRectF &rect, const Theme &theme)
{
    painter.fillRect(rect, theme.palette.color(QPalette::Base));
    const TimelinePicture picture(std::move(scene), rect, painter.font(),
                                  painter.device()->devicePixelRatioF());
    paintTimeline(painter, picture, theme);
}

void paintTimeline(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
{
    if (picture.isEmpty())
        return;
    painter.save();
    painter.setFont(picture.font());
    ScalePainter scale(painter, picture, theme);
    scale.grid();
    painter.save();
    painter.setClipRect(picture.chart().adjusted(-1, -12, 1, 1));
    paintAreas(painter, picture, theme);
    scale.curves();
    scale.hotSpots();
    scale.levels();
    painter.restore();
    scale.lanes();
    scale.legend();
    painter.restore();
}

void paintMarks(QPainter &painter, const TimelinePicture &picture, const Theme &theme,
                const TimelineMarks &marks)
{
    if (picture.isEmpty())
        return;
    painter.save();
    const QRectF &chart = picture.chart();
    if (marks.cursor) {
        const double x = picture.xOfStep(*marks.cursor);
        if (x >= chart.left() && x <= chart.right()) {
            painter.setPen(QPen(theme.palette.color(QPalette::WindowText), 1, Qt::DotLine));
            painter.drawLine(QPointF(x, chart.top()), QPointF(x, chart.bottom()));
        }
    }
    painter.setClipRect(chart.adjusted(-2, -2, 2, 2));
    const auto outline = [&](std::uint32_t tensor, const QPen &around, const QPen &line) {
        const QPainterPath path = outlineOf(picture, tensor);
        for (const QPen &pen : {around, line})
            painter.strokePath(path, pen);
    };
    constexpr std::size_t most = 200;
    for (std::size_t i = 0; i < std::min(most, marks.selected.size()); ++i)
        outline(marks.selected[i], QPen(theme.palette.color(QPalette::Highlight), 4),
                QPen(theme.canvas.selection, 1.5));
    if (marks.hovered)
        outline(*marks.hovered, QPen(theme.palette.color(QPalette::Base), 2),
                QPen(theme.palette.color(QPalette::WindowText), 1));
    painter.restore();
}

} // namespace graphloom
