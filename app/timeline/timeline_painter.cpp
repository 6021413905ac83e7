// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_painter.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"
#include "app/timeline/timeline_areas.h"
#include "app/timeline/timeline_legend.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

struct TimelinePainterText {
    Q_DECLARE_TR_FUNCTIONS(TimelinePainter)
};

/// Returns the distance of about six grid lines: a power of two bytes.
double byteStep(double most)
{
    return std::exp2(std::ceil(std::log2(std::max(1.0, most / 7))));
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
        const double y = axisTop();
        for (const auto &[place, text] : axisMarks(window.from, window.to, chart.width() / 110,
                                                   window.inTime ? 1e-9 : 1)) {
            const double x = m_picture.xOf(place);
            m_painter.fillRect(QRectF(std::round(x), chart.bottom(), 1, 3), m_theme.border);
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
            m_painter.setPen(QPen(comparedColour(m_theme), 1.5, Qt::CustomDashLine));
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
            if (y < chart.top() || y > chart.bottom()) // SVG files are not clipped
                return;
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
                  comparedColour(m_theme), Qt::DotLine);
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

private:
    double axisTop() const
    {
        double y = m_picture.chart().bottom();
        for (const QRectF &lane : {m_picture.stores(), m_picture.loads(), m_picture.repeats()})
            y = std::max(y, lane.bottom());
        return y + 4;
    }
    /// Returns a line through the steps with the fewest corners.
    QPolygonF curveOf(const MemoryTimeline &timeline,
                      const IndexedVector<ColumnIndex, std::uint32_t> &steps,
                      std::int64_t resident) const
    {
        QPolygonF line;
        const TimelineWindow &window = m_picture.window();
        const double end = window.column(timeline.beginOf(timeline.stepCount(), window.inTime));
        double last = -1;
        for (const ColumnIndex c : steps.indices()) {
            if (double(c.number()) >= end)
                break;
            const double x = m_picture.chart().left() + double(c.number()) / m_picture.ratio();
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

    QPainter &m_painter;
    const TimelinePicture &m_picture;
    const Theme &m_theme;
    QFontMetricsF m_metrics;
};

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

QColor comparedColour(const Theme &theme)
{
    return theme.series.back();
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
    paintLanes(painter, picture, theme);
    paintLegend(painter, picture, theme);
    painter.restore();
}

ViewPicture memoryPicture(const TimelineScene &scene, const QStringList &notes)
{
    const bool inTime = scene.look.inTime && scene.timeline->timed;
    ViewPicture picture;
    picture.title = scene.look.arena
                        ? (inTime ? TimelinePainterText::tr("Tensor offsets in the arena over time")
                                  : TimelinePainterText::tr("Tensor offsets in the arena by step"))
                        : (inTime ? TimelinePainterText::tr("Memory over time")
                                  : TimelinePainterText::tr("Memory by step"));
    picture.notes = notes;
    picture.size = usualSize;
    picture.scalable = true;
    picture.paint = [scene](QPainter &painter, const QRectF &place, const PictureLook &look) {
        QFont font;
        font.setPixelSize(12);
        paintTimeline(painter, TimelinePicture(scene, place, font, look.scale), look.theme);
    };
    return picture;
}

} // namespace graphloom
