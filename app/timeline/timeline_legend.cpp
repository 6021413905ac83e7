// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_legend.h"

#include "app/timeline/area_canvas.h"
#include "app/timeline/timeline_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

struct TimelineLegendText {
    Q_DECLARE_TR_FUNCTIONS(TimelinePainter)
};

class BesidePainter {
public:
    BesidePainter(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
        : m_painter(painter), m_picture(picture), m_theme(theme), m_metrics(picture.font())
    {
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
        lane(m_picture.stores(), stores, out, TimelineLegendText::tr("stores"));
        lane(m_picture.loads(), loads, in, TimelineLegendText::tr("loads"));
        lane(m_picture.repeats(), again, m_theme.palette.color(QPalette::WindowText),
             TimelineLegendText::tr("recomputed"));
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
            entry(TimelineLegendText::tr("weights"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[5], AreaPattern::Plain);
            });
        for (std::size_t kind = 0; kind < used.size(); ++kind)
            if (used[kind])
                entry(nameOf(MemoryTimeline::Class(kind)), [&](const QRectF &rect) {
                    paintSample(m_painter, rect, m_theme.tensors[kind],
                                patternOf(MemoryTimeline::Class(kind)));
                });
        if (again)
            entry(TimelineLegendText::tr("recomputed"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[0], AreaPattern::Falling);
            });
        if (!m_picture.scene().look.arena)
            entry(TimelineLegendText::tr("small tensors"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[0], AreaPattern::Crossed);
            });
        if (std::ranges::any_of(m_picture.bands().extras,
                                [](std::int64_t bytes) { return bytes > 0; }) &&
            !m_picture.scene().look.arena)
            entry(TimelineLegendText::tr("copies of parts"), [&](const QRectF &rect) {
                paintSample(m_painter, rect, m_theme.tensors[6], AreaPattern::Plain);
            });
        if (m_picture.scene().compared)
            entry(m_picture.scene().comparedName, [&](const QRectF &rect) {
                m_painter.setPen(QPen(comparedColour(m_theme), 1.5, Qt::DashLine));
                m_painter.drawLine(rect.left(), rect.center().y(), rect.right(), rect.center().y());
            });
        entry(TimelineLegendText::tr("hot spot"), [&](const QRectF &rect) {
            m_painter.setRenderHint(QPainter::Antialiasing);
            m_painter.setPen(QPen(m_theme.palette.color(QPalette::WindowText), 1));
            m_painter.setBrush(m_theme.error);
            const QPointF tip(rect.center().x(), rect.bottom());
            m_painter.drawPolygon(QPolygonF{tip, tip + QPointF(-5, -8), tip + QPointF(5, -8)});
            m_painter.setBrush(Qt::NoBrush);
        });
    }

private:
    std::size_t columns() const { return std::size_t(m_picture.window().columns); }

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

} // namespace

void paintLanes(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
{
    BesidePainter(painter, picture, theme).lanes();
}

void paintLegend(QPainter &painter, const TimelinePicture &picture, const Theme &theme)
{
    BesidePainter(painter, picture, theme).legend();
}

} // namespace graphloom
